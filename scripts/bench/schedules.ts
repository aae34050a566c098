import type { ProjectId } from '../../shared/kernel/ids.ts';
import { newId } from '../../shared/kernel/new-ids.ts';
import { type Laboratory, openLaboratory } from '../../test/support/laboratory.ts';
import { ada } from '../../test/support/run-starts.ts';
import type { Figure } from './figure.ts';

const ROUNDS = 12;
const AT_ONCE = 8;
const CRONS = 60;
const OF_ONE_FLOW = 200;

const FLOW = 'export async function nightly(session) { session.log("nothing"); }';

/** Durations in milliseconds of repeated calls, `atOnce` of them concurrently. */
async function timed(rounds: number, atOnce: number, call: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        const requestedAt = performance.now();
        await call();
        times.push(performance.now() - requestedAt);
      }),
    );
  }
  return times.sort((a, b) => a - b);
}

const medianOf = (times: readonly number[]) => `${(times[Math.floor(times.length / 2)] ?? 0).toFixed(0)} ms`;

/** Schedules: creation one by one and eight at once, listing, and deletion of a flow with many schedules. */
export async function benchSchedules(small: boolean): Promise<Figure[]> {
  const lab = await openLaboratory();
  try {
    const rounds = small ? 2 : ROUNDS;
    const { projectId, chipId } = await lab.newProject();
    const { schedules } = lab.areas;
    const saved = async (name: string) =>
      lab.flows.save(projectId, 'ada', {
        name,
        description: '',
        code: FLOW,
        flow_function_name: 'nightly',
        chip_id: chipId,
        default_parameters: {},
        default_run_parameters: {},
        tags: [],
      });
    await saved('nightly');
    const wanted = {
      cron: null,
      scheduled_time: new Date(Date.now() + 30 * 86_400_000).toISOString(),
      parameters: {},
      active: true,
      timezone: null,
      jitter_seconds: 0,
      priority: 0,
      allow_preemption: false,
    };
    const create = () => schedules.create(projectId, ada, 'nightly', wanted);
    const engineOnly = () =>
      lab.engine.client.schedule.create({
        scheduleId: newId(),
        spec: { calendars: [{ year: 2100, month: 'JANUARY', dayOfMonth: 1 }] },
        action: { type: 'startWorkflow', workflowType: 'nothing', taskQueue: 'nothing', args: [] },
      });
    await create();
    const figures: Figure[] = [
      { name: 'the engine alone, one at a time', value: medianOf(await timed(rounds, 1, engineOnly)) },
      {
        name: `the engine alone, ${AT_ONCE} at once`,
        value: medianOf(await timed(rounds, AT_ONCE, engineOnly)),
      },
      { name: 'a schedule is made, one at a time', value: medianOf(await timed(rounds, 1, create)) },
      {
        name: `a schedule is made, ${AT_ONCE} at once`,
        value: medianOf(await timed(rounds, AT_ONCE, create)),
      },
      ...(await listAndDelete(lab, { projectId, wanted, saved }, small)),
    ];
    return figures;
  } finally {
    await lab.close();
  }
}

async function listAndDelete(
  { areas: { schedules } }: Laboratory,
  {
    projectId,
    wanted,
    saved,
  }: {
    projectId: ProjectId;
    wanted: Parameters<typeof schedules.create>[3];
    saved(name: string): Promise<unknown>;
  },
  small: boolean,
): Promise<Figure[]> {
  const crons = small ? CRONS / 10 : CRONS;
  for (let number = 0; number < crons; number += 1) {
    await saved(`cron${number}`);
    await schedules.create(projectId, ada, `cron${number}`, {
      ...wanted,
      cron: '0 3 * * *',
      scheduled_time: null,
    });
  }
  const pages = await timed(10, 1, () => schedules.list(projectId, undefined, { limit: crons, offset: 0 }));
  await saved('many');
  const many = small ? OF_ONE_FLOW / 10 : OF_ONE_FLOW;
  for (let made = 0; made < many; made += AT_ONCE) {
    await Promise.all(
      Array.from({ length: AT_ONCE }, () => schedules.create(projectId, ada, 'many', wanted)),
    );
  }
  const [deleting = 0] = await timed(1, 1, () => schedules.deleteAll(projectId, 'many'));
  return [
    { name: `a page of ${crons} crons`, value: medianOf(pages) },
    { name: `${many} schedules of a flow are deleted`, value: `${deleting.toFixed(0)} ms` },
  ];
}
