import { setTimeout as wait } from 'node:timers/promises';
import { isEndStatus } from '../../shared/domain/executions/status-rules.ts';
import { median } from '../../shared/kernel/median.ts';
import { type LabChip, type Laboratory, oneStage, openLaboratory } from '../../test/support/laboratory.ts';
import type { Figure } from './figure.ts';
import { INSTANT_BACKEND, nothing, withInstantBackend } from './instant-backend.ts';

/** Runs of the same request before forecasts are judged, and runs whose forecasts are. */
const [EARLIER, JUDGED] = [5, 6];
const SMALL = { earlier: 1, judged: 1, seconds: 0.2 };

/**
 * Seconds of a measurement, and how measurements and whole runs differ in it: standard deviations of the logarithm. A run as a
 * whole differs because labs change waiting times and numbers of shots.
 */
const [SECONDS, EACH_DIFFERS, RUNS_DIFFER] = [3, 0.15, 0.05];

/** The requests that are repeated. */
const REQUESTS = [
  { name: 'three qubits one after the other', qids: ['0', '1', '2'], tasks: 1, parallel: 1 },
  { name: 'eight qubits in parallel, three tasks each', qids: [...'01234567'], tasks: 3, parallel: 8 },
] as const;

/** Milliseconds between two requests for the state of an open run. */
const LOOK = 250;

/** Relative errors of the forecasts of one run: at its start, and when half of its tasks have ended. */
interface Errors {
  atStart: number;
  halfway: number;
}

/** A normally distributed number of mean 0 and standard deviation 1, by Box and Muller. */
function normal(): number {
  return Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random());
}

/**
 * How far forecasts of runs are off that measure on a backend in another process, whose measurements take time and never take
 * the same: the time that a run is expected to work, against what it has worked in the end.
 */
export async function benchForecast(small: boolean): Promise<Figure[]> {
  const { earlier, judged, seconds } = small ? SMALL : { earlier: EARLIER, judged: JUDGED, seconds: SECONDS };
  const lab = await openLaboratory({ MEASURE_HEARTBEAT_TIMEOUT: '60' });
  let pace = 1;
  try {
    await lab.startWorker();
    return await withInstantBackend(
      lab,
      async () => {
        const figures: Figure[] = [];
        for (const { name, qids, tasks, parallel } of REQUESTS) {
          const place = await lab.newProject();
          const list = Array.from({ length: tasks }, () => 'CheckT1');
          const start = await lab.saveFlow(place, oneStage(list, qids, `, parallel: ${parallel}`), {
            backend: INSTANT_BACKEND,
          });
          const errors: Errors[] = [];
          for (let run = 0; run < earlier + judged; run += 1) {
            pace = Math.exp(RUNS_DIFFER * normal());
            const { execution_id } = await start();
            const forecasts = await watch(lab, place, { execution_id, half: (qids.length * tasks) / 2 });
            if (run >= earlier) errors.push(forecasts);
          }
          figures.push(...figuresOf(name, errors));
        }
        return figures;
      },
      async (request) => {
        await wait(1000 * seconds * pace * Math.exp(EACH_DIFFERS * normal()));
        return nothing(request);
      },
    );
  } finally {
    await lab.close();
  }
}

/** Follows a run to its end, and compares what was forecast meanwhile with what it took. */
async function watch(
  { areas }: Laboratory,
  { projectId }: LabChip,
  run: Pick<Awaited<ReturnType<Laboratory['startTask']>>, 'execution_id'> & { half: number },
): Promise<Errors> {
  let [atStart, halfway] = [Number.NaN, Number.NaN];
  for (;;) {
    const execution = await areas.executions.store.get(projectId, run.execution_id);
    if (!execution) throw new Error(`execution ${run.execution_id} is not stored`);
    const forecast = await areas.executions.forecastOf(execution, new Date());
    if (isEndStatus(execution.status)) {
      if (execution.status !== 'completed') throw new Error(`a run ended: ${execution.message}`);
      const error = (expected: number) => expected / forecast.worked_seconds - 1;
      return { atStart: error(atStart), halfway: error(halfway) };
    }
    const expected = forecast.expected_seconds ?? Number.NaN;
    if (Number.isNaN(atStart)) atStart = expected;
    if (Number.isNaN(halfway) && forecast.settled_tasks >= run.half) halfway = expected;
    await wait(LOOK);
  }
}

function figuresOf(name: string, errors: readonly Errors[]): Figure[] {
  return (['atStart', 'halfway'] as const).map((when) => {
    const sizes = errors.map((each) => Math.abs(each[when])).filter((size) => !Number.isNaN(size));
    const [middle, largest] = [median(sizes), Math.max(...sizes)].map((size) => (100 * size).toFixed(1));
    return {
      name: `${name}, ${when === 'atStart' ? 'at the start' : 'halfway'} (${sizes.length} runs)`,
      value: `off by ${middle} % in the middle, ${largest} % at most`,
      budget: '< 20 %',
    };
  });
}
