import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MeasureRequest } from '../../../activities/backends/backend.ts';
import { giveValues, type SeedValue } from '../../../shared/domain/chips/index.ts';
import { derivedId, newId } from '../../../shared/kernel/new-ids.ts';
import { dragAmplitude, idealBeta } from '../../../shared/science/device/drag-pulses.ts';
import { sweepPoints } from '../../../shared/tasks/run-parameters.ts';
import { commonLaboratory } from '../../support/common-laboratory.ts';
import { serveBackend } from '../../support/foreign-backend.ts';
import { executionNamed, taskNamed } from '../../support/ids.ts';
import type { LabChip, Laboratory } from '../../support/laboratory.ts';
import { quiet } from '../../support/measured.ts';

let lab: Laboratory;
let instrument: Awaited<ReturnType<typeof serveBackend>>;
/** All that the instrument was asked. */
const asked: MeasureRequest[] = [];

const PAIR = '0-1';

beforeAll(async () => {
  lab = await commonLaboratory();
  instrument = await serveBackend(lab, 'flux', async (request) => {
    asked.push(request);
    return lab.simulator.measure(request, quiet());
  });
});
afterAll(() => instrument.close());

function float(value: number, unit: string): SeedValue {
  return { value, value_type: 'float', unit, description: '' };
}

/** A chip of which one pair has calibrated qubits, and these values. */
async function chipWith(coupling: Record<string, SeedValue>): Promise<LabChip> {
  const place = await lab.newProject();
  const give = (kind: 'qubit' | 'coupling', values: Map<string, Record<string, SeedValue>>) => {
    const id = newId();
    const origin = {
      task_name: 'import',
      execution_id: executionNamed(id),
      taskId: (qid: string) => taskNamed(derivedId(id, qid)),
    };
    const chip = { project_id: place.projectId, chip_id: place.chipId };
    return giveValues(lab.seedStores, { ...chip, kind }, values, origin);
  };
  const qubits = ['0', '1'].map((qid) => {
    const truth = lab.simulator.truth(place.chipId, qid, new Date());
    const values = {
      qubit_frequency: float(truth.f01, 'GHz'),
      drag_hpi_amplitude: float(dragAmplitude(truth, Math.PI / 2, 16), 'a.u.'),
      drag_hpi_length: float(16, 'ns'),
      drag_hpi_beta: float(idealBeta(truth), 'ns'),
    };
    return [qid, values] as const;
  });
  await give('qubit', new Map(qubits));
  await give('coupling', new Map([[PAIR, coupling]]));
  return place;
}

/** Measures a list of tasks on the pair; gives their results and what the instrument was asked of them. */
async function measured(place: LabChip, tasks: readonly string[], options = '') {
  const flow = `export async function flow(session) {
  await session.run({ name: 'pair', tasks: ${JSON.stringify(tasks)}, targets: session.targets.pairs(['${PAIR}'])${options} });
}
`;
  const { execution_id } = await lab.startFlow(place, flow, { backend: 'flux' });
  await lab.ended(place.projectId, execution_id);
  await lab.free(place.projectId);
  const rows = await lab.tasksOf(place.projectId, execution_id);
  const requests = asked.filter((request) => request.execution_id === execution_id);
  return { rows, requests: requests.filter(({ project_id }) => project_id === place.projectId) };
}

function amplitudesOf({ run_parameters }: Pick<MeasureRequest, 'run_parameters'>): number[] {
  const sweep = run_parameters.flux_amplitude_range ?? expect.fail('no sweep of amplitudes');
  const points = sweepPoints(sweep);
  return points.ok ? points.value : expect.fail(points.problem);
}

test('no instrument is asked for flux pulses beyond the limit of a coupling, in no pass', async () => {
  // Within the sweep, so that its end is cut, and above the resonance, so that there is something to find.
  const limit = 0.47;
  const place = await chipWith({ flux_pulse_limit: float(limit, 'a.u.') });
  const sweep = 'run_parameters: { flux_amplitude_range: [0.2, 0.9, 141], shots: 256 }';
  const { rows, requests } = await measured(place, ['CheckCZChevron'], `, ${sweep}`);
  expect(requests.length).toBeGreaterThan(1);
  for (const request of requests) {
    const amplitudes = amplitudesOf(request);
    expect(amplitudes.length).toBeGreaterThan(1);
    expect(Math.max(...amplitudes)).toBeLessThanOrEqual(limit * (1 + 1e-12));
  }
  const [first] = requests;
  expect(first && amplitudesOf(first)).toHaveLength(55);
  // The result says what was measured, not what was requested.
  const [row] = rows;
  const last = requests.at(-1) ?? expect.fail('nothing was asked');
  expect(row?.run_parameters.flux_amplitude_range?.value).toEqual(
    last.run_parameters.flux_amplitude_range?.value,
  );
});

test('a sweep or a pulse that lies beyond the limit fails with a message, before the instrument is asked', async () => {
  const place = await chipWith({
    flux_pulse_limit: float(0.05, 'a.u.'),
    cz_flux_amplitude: float(0.3, 'a.u.'),
    cz_gate_time: float(60, 'ns'),
  });
  const chevron = await measured(place, ['CheckCZChevron']);
  expect(chevron.rows.map(({ status, message }) => ({ status, message }))).toEqual([
    {
      status: 'failed',
      message: `CheckCZChevron measures nothing on target ${PAIR}: no value of flux_amplitude_range is within flux_pulse_limit, which is 0.05.`,
    },
  ]);
  const phase = await measured(place, ['CheckCZPhase']);
  expect(phase.rows.map(({ status, message }) => ({ status, message }))).toEqual([
    {
      status: 'failed',
      message: `CheckCZPhase cannot use these values of target ${PAIR}: cz_flux_amplitude (0.3, beyond flux_pulse_limit, which is 0.05).`,
    },
  ]);
  expect([...chevron.requests, ...phase.requests]).toEqual([]);
});
