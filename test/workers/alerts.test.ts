import { type MetricMeter, type MetricTags, noopMetricMeter } from '@temporalio/common';
import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { metrics } from '../../api/plugins/metrics.ts';
import type { OpenRuns } from '../../shared/domain/runs/index.ts';
import { countedWait, countedWaits } from '../../shared/domain/runs/waiting-rules.ts';
import { showDisk } from '../../workers/disk-metrics.ts';
import { countMeasurements } from '../../workers/measurement-metrics.ts';
import { showRuns } from '../../workers/run-metrics.ts';
import { firing, readAlertRules, type Series, seriesOf } from '../support/alert-rules.ts';
import { projectNamed } from '../support/ids.ts';

const rules = await readAlertRules();

/** Alerts that were seen to fire, and those that were seen not to. The probes of the API are stalled in test/api/stalls.test.ts. */
const stalls = ['CalibronLoginsStall', 'CalibronFileReadsStall'];
const seen = { firing: new Set(stalls), silent: new Set(stalls) };
function fires(alert: string, series: Series): string[] {
  const found = firing(rules, alert, series);
  (found.length > 0 ? seen.firing : seen.silent).add(alert);
  return found;
}
const log = { warn: () => {} };

/** A meter that keeps what it is given as Prometheus would read it. */
function keepingMeter() {
  const series = new Map<string, number>();
  const keyOf = (name: string, tags: MetricTags = {}) =>
    `${name}{${Object.entries(tags)
      .map(([label, value]) => `${label}="${value}"`)
      .join(',')}}`;
  const meter: MetricMeter = {
    createHistogram: noopMetricMeter.createHistogram,
    withTags: () => meter,
    createGauge(...[name, ...rest]) {
      const gauge = noopMetricMeter.createGauge(name, ...rest);
      return { ...gauge, set: (value, tags) => void series.set(keyOf(name, tags), value) };
    },
    createCounter(...[name, ...rest]) {
      const counter = noopMetricMeter.createCounter(name, ...rest);
      const add = (value: number, tags?: MetricTags) => {
        const key = keyOf(`${name}_total`, tags);
        series.set(key, (series.get(key) ?? 0) + value);
      };
      return { ...counter, add };
    },
  };
  return { series, meter, fires: (alert: string) => fires(alert, series) };
}

const run = (waits_for: OpenRuns['runs'][number]['waits_for'], backend = 'lab', project = 'p') => ({
  ...{ project_id: projectNamed(project), seconds: 10, backend, waits_for },
});

/** Shows runs that a test changes, at a time that it sets. */
function shownRuns() {
  const state = { runs: [] as OpenRuns['runs'], stuck: 0, now: 0, away: false };
  const kept = keepingMeter();
  const counts = countMeasurements(kept.meter, 'lab', () => state.now);
  const shown = showRuns({
    ...{ meter: kept.meter, answers: counts, backend: 'lab', log, now: () => state.now },
    async read() {
      if (state.away) throw new Error('no primary');
      return { open: state.runs.length, stuck: state.stuck, runs: state.runs };
    },
  });
  return { state, counts, ...kept, look: shown.look, end: shown.end };
}

test.each([
  ['backend', 'CalibronBackendWithoutWorker'],
  ['disk', 'CalibronRunWaitsForSpace'],
  ['release', 'CalibronRunWaitsForRelease'],
  ['resume', 'CalibronRunPaused'],
  ['approval', 'CalibronRunWaitsForAnswer'],
  ['worker', 'CalibronRunNotTaken'],
  ['cancel', 'CalibronCancelTakesLong'],
] as const)('a run that waits for %s fires %s, until it goes on', async (wait, alert) => {
  const { state, fires, look, end } = shownRuns();
  state.runs = [run(wait), run(null, 'other', 'q')];
  await look();
  expect(fires(alert)).toEqual(['lab']);
  state.runs = [run(null)];
  await look();
  expect(fires(alert)).toEqual([]);
  await end();
});

test('a backend that does not answer for ten minutes fires, unless nothing measures on it', async () => {
  const { state, counts, fires, look, end } = shownRuns();
  state.runs = [run(null)];
  await look();
  state.now = 590_000;
  counts.answered('lab');
  state.now = 700_000;
  await look();
  expect(fires('CalibronBackendSilent')).toEqual([]);
  state.now = 1_200_000;
  await look();
  expect(fires('CalibronBackendSilent')).toEqual(['lab']);
  state.runs = [run('resume')];
  await look();
  expect(fires('CalibronBackendSilent')).toEqual([]);
  // A run that begins after an idle night is not late from its first second on.
  state.now = 50_000_000;
  state.runs = [run(null)];
  await look();
  expect(fires('CalibronBackendSilent')).toEqual([]);
  await end();
});

test('a run that does not go on fires, until it does', async () => {
  const { state, fires, look, end } = shownRuns();
  state.runs = [run('repair')];
  state.stuck = 1;
  await look();
  expect(fires('CalibronRunStuck')).toEqual(['']);
  state.stuck = 0;
  await look();
  expect(fires('CalibronRunStuck')).toEqual([]);
  await end();
});

test('a run that has held its project for more than a day fires, and names the project', async () => {
  const { state, fires, look, end } = shownRuns();
  state.runs = [
    { ...run('sleep'), seconds: 86_401 },
    { ...run(null, 'lab', 'q'), seconds: 86_399 },
  ];
  await look();
  expect(fires('CalibronProjectHeldLong')).toEqual(['p']);
  state.runs = [];
  await look();
  expect(fires('CalibronProjectHeldLong')).toEqual([]);
  await end();
});

test('a service without any worker fires, and one with a worker that has no run does not', async () => {
  expect(fires('CalibronNoWorker', new Map())).toEqual(['']);
  const { fires: firesWith, look, end } = shownRuns();
  await look();
  expect(firesWith('CalibronNoWorker')).toEqual([]);
  await end();
});

/** The series of a histogram as Temporal's SDK exports them: of each wait, in every bucket that contains it. */
function histogram(name: string, labels: string, waits: readonly number[]): Series {
  const bounds = ['0.1', '1', '2', '5', '30', '60', '+Inf'];
  return new Map(
    bounds.map((le) => [
      `${name}_bucket{${labels},le="${le}"}`,
      waits.filter((wait) => wait <= (le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le))).length,
    ]),
  );
}

test('workflow tasks that wait for a worker fire, if they are more than one in twenty', () => {
  const name = 'temporal_workflow_task_schedule_to_start_latency_seconds';
  const waits = (late: number) => Array.from({ length: 100 }, (_, index) => (index < late ? 4 : 0.05));
  const ofQueue = (queue: string, late: number) => histogram(name, `task_queue="${queue}"`, waits(late));
  expect(fires('CalibronWorkflowsWait', ofQueue('calibration', 6))).toEqual(['']);
  expect(fires('CalibronWorkflowsWait', ofQueue('calibration', 4))).toEqual([]);
  expect(fires('CalibronWorkflowsWait', ofQueue('another', 6))).toEqual([]);
});

test('activities that wait for a worker fire for their queue alone', () => {
  const name = 'temporal_activity_schedule_to_start_latency_seconds';
  const waits = (wait: number) => Array.from({ length: 20 }, () => wait);
  const series = new Map([
    ...histogram(name, 'task_queue="flows"', waits(45)),
    ...histogram(name, 'task_queue="calibration"', waits(20)),
  ]);
  expect(fires('CalibronActivitiesWait', series)).toEqual(['flows']);
  const soon = histogram(name, 'task_queue="flows"', waits(20));
  expect(fires('CalibronActivitiesWait', soon)).toEqual([]);
});

test('a worker whose slots are all taken fires, and so does one that keeps almost as many runs as it may', () => {
  const slots = (free: number) =>
    new Map([
      ['temporal_worker_task_slots_available{task_queue="calibration",worker_type="ActivityWorker"}', free],
      ['temporal_worker_task_slots_available{task_queue="calibration",worker_type="WorkflowWorker"}', 20],
    ]);
  expect(fires('CalibronNoSlots', slots(0))).toEqual([',calibration,ActivityWorker']);
  expect(fires('CalibronNoSlots', slots(1))).toEqual([]);
  const kept = (count: number) => new Map([['temporal_sticky_cache_size{task_queue="calibration"}', count]]);
  expect(fires('CalibronCacheAlmostFull', kept(181))).toEqual(['']);
  expect(fires('CalibronCacheAlmostFull', kept(180))).toEqual([]);
});

test('workflow tasks that fail fire with their reason', () => {
  const failed = (count: number) =>
    new Map([['temporal_workflow_task_execution_failed_total{failure_reason="NonDeterminismError"}', count]]);
  expect(fires('CalibronWorkflowTasksFail', failed(4))).toEqual(['NonDeterminismError']);
  expect(fires('CalibronWorkflowTasksFail', failed(3))).toEqual([]);
});

test('an API of whose answers more than one in twenty is an error of the service fires', async () => {
  const app = Fastify();
  await app.register(metrics);
  app.get('/works', async () => 'yes');
  app.get('/fails', async (_request, reply) => reply.code(503).send('no'));
  const ask = async (url: string, count: number) => {
    for (let asked = 0; asked < count; asked += 1) await app.inject(url);
  };
  await ask('/works', 19);
  await ask('/fails', 1);
  expect(fires('CalibronApiFails', seriesOf(await app.metrics.text()))).toEqual([]);
  await ask('/fails', 1);
  expect(fires('CalibronApiFails', seriesOf(await app.metrics.text()))).toEqual(['']);
  await app.close();
});

test('a store that does not answer fires', async () => {
  const { state, fires, look, end } = shownRuns();
  await look();
  state.away = true;
  state.now = 31_000;
  await look();
  expect(fires('CalibronStoreAway')).toEqual(['']);
  state.away = false;
  await look();
  expect(fires('CalibronStoreAway')).toEqual([]);
  await end();
});

test.each([
  ['failed', 4, 'CalibronTasksFail'],
  ['refused', 6, 'CalibronValuesRefused'],
] as const)('measurements most of which are %s fire, a few among many do not', (outcome, count, alert) => {
  const { meter, fires } = keepingMeter();
  const counts = countMeasurements(meter, 'lab');
  expect(fires(alert)).toEqual([]);
  for (let index = 0; index < count; index++) counts.ended('lab', outcome);
  expect(fires(alert)).toEqual(['lab']);
  for (let index = 0; index < 2 * count; index++) counts.ended('lab', 'completed');
  expect(fires(alert)).toEqual([]);
});

test('a disk that is full, almost full, short of inodes, too full to measure or not readable fires', async () => {
  const { meter, fires } = keepingMeter();
  const plenty = { freeBytes: 4e9, totalBytes: 1e10, freeInodes: 500, totalInodes: 1000 };
  let room: typeof plenty | null = null;
  let shortage: string | null = null;
  const disk = showDisk({
    ...{ meter, root: '/data', log, shortage: async () => shortage },
    async read() {
      if (!room) throw new Error('stale handle');
      return room;
    },
  });
  const alerts = async (found: Partial<typeof plenty> | null) => {
    room = found && { ...plenty, ...found };
    await disk.look();
    return rules.flatMap(({ alert }) =>
      alert.startsWith('CalibronDisk') && fires(alert).length > 0 ? [alert] : [],
    );
  };
  expect(await alerts({})).toEqual([]);
  expect(await alerts({ freeBytes: 9.9e8, totalBytes: 1e9 })).toEqual(['CalibronDiskFull']);
  expect(await alerts({ freeBytes: 9.9e8 })).toEqual(['CalibronDiskAlmostFull', 'CalibronDiskFull']);
  expect(await alerts({ freeBytes: 4e9 })).toEqual([]);
  expect(await alerts({ freeInodes: 40 })).toEqual(['CalibronDiskInodesAlmostUsed']);
  expect(await alerts({ freeInodes: 0, totalInodes: 0 })).toEqual([]);
  shortage = 'the disk is read-only';
  expect(await alerts({})).toEqual(['CalibronDiskShort']);
  shortage = null;
  expect(await alerts(null)).toEqual(['CalibronDiskAlmostFull']);
  await disk.end();
});

test('every wait fires within minutes, except those that the run itself or another run ends', () => {
  const covered = rules.filter((rule) => /calibron_runs_waiting|calibron_stuck_runs/.test(rule.expr));
  for (const { alert, for: patience } of covered) expect(patience, alert).toMatch(/^(?:1|2|5|10)m$/);
  const waits = covered.flatMap(({ expr }) => [...expr.matchAll(/for="(\w+)"/g)].map(([, wait]) => wait));
  const ownEnd = ['preemption', 'previous_run', 'sleep', 'repair'];
  expect([...waits, ...ownEnd].sort()).toEqual([...countedWaits].sort());
});

test('what a run waits for is what needs a person most', () => {
  const now = new Date('2026-01-02T03:05:00Z');
  const open = {
    status: 'running' as const,
    created_at: new Date('2026-01-02T03:04:00Z'),
    cancel_requested_at: null,
  };
  const since = '2026-01-02T03:04:30Z';
  const paused = { by: 'ada', at: since };
  const waiting = { for: 'a worker for backend lab', since, kind: 'backend' as const };
  const trouble = { for: 'the run to go on', since };
  expect(countedWait(open, now)).toBeNull();
  expect(countedWait({ ...open, waiting }, now)).toBe('backend');
  expect(countedWait({ ...open, waiting, paused }, now)).toBe('resume');
  expect(countedWait({ ...open, waiting, paused, cancel_requested_at: now }, now)).toBe('cancel');
  expect(countedWait({ ...open, waiting, paused, trouble }, now)).toBe('repair');
  expect(countedWait({ ...open, status: 'scheduled' }, now)).toBe('worker');
  expect(countedWait({ ...open, status: 'scheduled', created_at: now }, now)).toBeNull();
});

test('every alert fired in a test above, and did not fire in the opposite case', () => {
  for (const { alert } of rules) {
    expect(seen.firing, alert).toContain(alert);
    expect(seen.silent, alert).toContain(alert);
  }
});
