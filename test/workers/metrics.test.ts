import { parser } from '@prometheus-io/lezer-promql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../scripts/engines/processes.ts';
import { CALIBRATION_QUEUE } from '../../shared/kernel/engine/workflow-ids.ts';
import { eventually, type Laboratory, oneStage, openLaboratory } from '../support/laboratory.ts';
import { type AlertRule, firing, readAlertRules, seriesOf } from './alert-rules.ts';

let lab: Laboratory;
let metricsAt: string;
let rules: AlertRule[];

beforeAll(async () => {
  rules = await readAlertRules();
  lab = await openLaboratory({ SIMULATOR_SECONDS: '0.1' });
  metricsAt = `127.0.0.1:${await freePort()}`;
  await lab.startWorker({ WORKER_METRICS_ADDRESS: metricsAt });
});
afterAll(() => lab.close());

/** What Prometheus gets: each series with its labels, and its value. */
async function scrape(): Promise<Map<string, number>> {
  const answer = await fetch(`http://${metricsAt}/metrics`);
  expect(answer.status).toBe(200);
  return seriesOf(await answer.text());
}

/** The value of a metric with a label; undefined while there is none. */
async function value(name: string, label = ''): Promise<number | undefined> {
  const found = [...(await scrape())].find(
    ([series]) => series.split('{')[0] === name && series.includes(label),
  );
  return found?.[1];
}

/** Nodes of an expression in PromQL, by their kind. */
function nodesOf(expr: string): { kind: string; text: string; isError: boolean }[] {
  const nodes: { kind: string; text: string; isError: boolean }[] = [];
  parser.parse(expr).iterate({
    enter({ type, from, to }) {
      nodes.push({ kind: type.name, text: expr.slice(from, to), isError: type.isError });
    },
  });
  return nodes;
}

test('how long a run holds its project is shown while it does, and 0 once it is free', async () => {
  const place = await lab.newProject();
  const ofProject = `project_id="${place.projectId}"`;
  await lab.setFaults({
    rules: [{ match: { project_id: place.projectId }, behaviour: 'slow', seconds: 60 }],
  });
  const run = await lab.startFlow(place, oneStage(['CheckT1'], ['0']));
  await eventually(async () => ((await value('calibron_lock_held_seconds', ofProject)) ?? 0) > 0);
  expect(await value('calibron_open_runs')).toBe(1);
  expect(await value('calibron_stuck_runs')).toBe(0);
  await lab.runs.control.cancel(place.projectId, run.flow_run_id);
  await lab.ended(place.projectId, run.execution_id);
  await eventually(async () => (await value('calibron_lock_held_seconds', ofProject)) === 0);
  expect(await value('calibron_open_runs')).toBe(0);
});

describe('an operator is told within minutes', () => {
  const fires = async (alert: string) => firing(rules, alert, await scrape());

  test('of a run that waits for a backend without a worker, and no longer once it is cancelled', async () => {
    const place = await lab.newProject();
    const run = await lab.startFlow(place, oneStage(['CheckT1'], ['0']), { backend: 'nobody' });
    await expect.poll(() => fires('CalibronBackendWithoutWorker'), { timeout: 90_000 }).toEqual(['nobody']);
    expect(await fires('CalibronBackendSilent')).toEqual([]);
    await lab.runs.control.cancel(place.projectId, run.flow_run_id);
    await expect.poll(() => fires('CalibronBackendWithoutWorker'), { timeout: 60_000 }).toEqual([]);
  });

  test('of a paused run, and no longer once it is resumed', async () => {
    const place = await lab.newProject();
    await lab.setFaults({
      rules: [{ match: { project_id: place.projectId }, behaviour: 'slow', seconds: 60 }],
    });
    const run = await lab.startFlow(place, oneStage(['CheckT1'], ['0']));
    await lab.measuring(place.projectId, run.execution_id);
    await lab.runs.control.pause(place.projectId, run.execution_id, 'ada');
    await expect.poll(() => fires('CalibronRunPaused'), { timeout: 60_000 }).toEqual(['simulator']);
    await lab.runs.control.cancel(place.projectId, run.flow_run_id);
    await expect.poll(() => fires('CalibronRunPaused'), { timeout: 60_000 }).toEqual([]);
  });

  test('of an instrument that reports errors, and of one whose data no fit accepts', async () => {
    const place = await lab.newProject();
    const four = ['0', '1', '2', '3'];
    await lab.setFaults({ rules: [{ match: { project_id: place.projectId }, behaviour: 'error' }] });
    const failing = await lab.startFlow(place, oneStage(['CheckT1'], four));
    await lab.ended(place.projectId, failing.execution_id);
    await expect.poll(() => fires('CalibronTasksFail')).toEqual(['simulator']);
    await lab.free(place.projectId);
    await lab.setFaults({ rules: [{ match: { project_id: place.projectId }, behaviour: 'noise' }] });
    const refused = await lab.startFlow(place, oneStage(['CheckRabi'], [...four, '4', '5', '6', '7']));
    await lab.ended(place.projectId, refused.execution_id);
    await expect.poll(() => fires('CalibronValuesRefused')).toEqual(['simulator']);
    await lab.setFaults({ rules: [] });
  });
});

describe('alert rules', () => {
  test('each has a name of its own and an expression that Prometheus can read', () => {
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
    expect(rules.length).toBeGreaterThan(5);
    for (const { alert, expr } of rules)
      expect(
        nodesOf(expr).filter(({ isError }) => isError),
        alert,
      ).toEqual([]);
    expect(nodesOf('max(calibron_open_runs').some(({ isError }) => isError)).toBe(true);
  });

  test('each metric is one that a worker or the API shows', async () => {
    // Failed workflow tasks are counted from the first one on.
    await lab.engine.client.workflow.start('nobody knows this workflow', {
      taskQueue: CALIBRATION_QUEUE,
      workflowId: 'unknown',
      workflowTaskTimeout: '1s',
    });
    const api = await fetch(new URL('/metrics-prometheus', await startApi()));
    const shownByApi = (await api.text()).split('\n').map((line) => line.split(/[{ ]/)[0]);
    const used = rules.flatMap(({ expr }) =>
      nodesOf(expr)
        .filter(({ kind }) => kind === 'Identifier')
        .map(({ text }) => text),
    );
    expect(used.length).toBeGreaterThanOrEqual(rules.length);
    async function missing(): Promise<string[]> {
      const shownByWorker = [...(await scrape()).keys()].map((series) => series.split('{')[0]);
      const shown = new Set([...shownByApi, ...shownByWorker]);
      return used.filter((name) => !shown.has(name));
    }
    await expect.poll(missing).toEqual([]);
  });
});

/** @returns its address */
async function startApi(): Promise<string> {
  const port = await freePort();
  await lab.startApi({ API_PORT: String(port), ADMIN_PASSWORD: 'correct horse battery' });
  // Answers are counted once there was one.
  const base = `http://127.0.0.1:${port}`;
  await fetch(`${base}/healthz`);
  return base;
}
