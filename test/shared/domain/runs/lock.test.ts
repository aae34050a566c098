import { beforeAll, expect, test } from 'vitest';
import type { StartedRun } from '../../../../shared/domain/runs/model.ts';
import { createValueLeases } from '../../../../shared/domain/runs/value-leases.ts';
import type { Db } from '../../../../shared/kernel/database.ts';
import { lockWorkflowId } from '../../../../shared/kernel/engine/workflow-ids.ts';
import { CalibronError } from '../../../../shared/kernel/errors.ts';
import type { ExecutionId, ProjectId } from '../../../../shared/kernel/ids.ts';
import { newId } from '../../../../shared/kernel/new-ids.ts';
import { commonLaboratory } from '../../../support/common-laboratory.ts';
import { projectNamed } from '../../../support/ids.ts';
import { eventually, type Laboratory, oneStage } from '../../../support/laboratory.ts';
import { createRunStarts } from '../../../support/run-starts.ts';

let lab: Laboratory;
beforeAll(async () => {
  lab = await commonLaboratory();
});

async function cancel(projectId: ProjectId, flowRunId: string, executionId: ExecutionId) {
  await lab.runs.control.cancel(projectId, flowRunId);
  return lab.ended(projectId, executionId);
}

test('a second start while a run is open is refused and names the holder', async () => {
  const place = await lab.newProject();
  await lab.setFaults({
    rules: [{ match: { project_id: place.projectId }, behaviour: 'slow', seconds: 60 }],
  });
  const first = await lab.startFlow(place, oneStage(['CheckT1'], ['0']));
  const refusal = await lab.startFlow(place, oneStage(['CheckT1'], ['1'])).catch((thrown: unknown) => thrown);
  expect(refusal).toBeInstanceOf(CalibronError);
  expect(refusal).toMatchObject({ code: 'project_busy', status: 409 });
  expect(String(refusal)).toContain(first.execution_id);
  expect(await lab.runs.lockStatus(place.projectId)).toMatchObject({
    lock: true,
    execution_id: first.execution_id,
    chip_id: 'CHIP',
    name: 'nightly',
  });
  await cancel(place.projectId, first.flow_run_id, first.execution_id);
  await lab.free(place.projectId);
  expect((await lab.runs.lockStatus(place.projectId)).lock).toBe(false);
  const rows = await lab.database.db.collection('executions').countDocuments({ project_id: place.projectId });
  expect(rows).toBe(1);
});

test('of 50 starts at once of both kinds one wins and the others leave no row', async () => {
  const place = await lab.newProject();
  await lab.setFaults({
    rules: [{ match: { project_id: place.projectId }, behaviour: 'slow', seconds: 60 }],
  });
  // Saved once before, so that only the starts race.
  const warm = await lab.startFlow(place, 'export async function flow(session) { session.log("nothing"); }');
  await lab.ended(place.projectId, warm.execution_id);
  await lab.free(place.projectId);
  const code = oneStage(['CheckT1'], ['0']);
  const answers = await Promise.allSettled(
    Array.from({ length: 50 }, (_, index) =>
      index % 2 === 0 ? lab.startFlow(place, code) : lab.startTask(place, 'CheckT1', '0'),
    ),
  );
  const won = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
  const lost = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []));
  expect(won).toHaveLength(1);
  expect(lost.map((reason) => (reason instanceof CalibronError ? reason.code : String(reason)))).toEqual(
    Array(49).fill('project_busy'),
  );
  const [winner] = won;
  if (!winner) throw new Error('nobody won');
  await cancel(place.projectId, winner.flow_run_id, winner.execution_id);
  const collections = ['executions', 'execution_requests'];
  const counts = await Promise.all(
    collections.map((each) =>
      lab.database.db.collection(each).countDocuments({ project_id: place.projectId }),
    ),
  );
  expect(counts).toEqual([2, 2]);
  // Numbers after the winner's that were taken for nothing are free again.
  await lab.free(place.projectId);
  await lab.setFaults({ rules: [] });
  const next = await lab.startTask(place, 'CheckT1', '0');
  const numberOf = (id: string) => Number(id.slice('YYYYMMDD-'.length));
  expect(numberOf(next.execution_id)).toBe(numberOf(winner.execution_id) + 1);
  await lab.ended(place.projectId, next.execution_id);
});

test('the same Idempotency-Key twice gives one run and one answer, also at once and after the run', async () => {
  const place = await lab.newProject();
  await lab.setFaults({ rules: [] });
  const code = oneStage(['CheckT1'], ['0']);
  const start = () => lab.startFlow(place, code, { idempotencyKey: 'monday' });
  const [first, second] = await Promise.all([start(), start()]);
  expect(second).toEqual(first);
  expect((await lab.ended(place.projectId, first?.execution_id ?? '')).status).toBe('completed');
  await lab.free(place.projectId);
  expect(await start()).toEqual(first);
  const other = lab.startFlow(place, code, { idempotencyKey: 'monday', parameters: { shots: 1 } });
  await expect(other).rejects.toMatchObject({ code: 'idempotency_conflict', status: 409 });
  expect(await lab.database.db.collection('executions').countDocuments({ project_id: place.projectId })).toBe(
    1,
  );
});

/** The store of a laboratory that does something else after each lookup of an idempotency key, and before it answers. */
function afterLookups(db: Db, meanwhile: (lookup: number) => Promise<void>): Db {
  let lookups = 0;
  return new Proxy(db, {
    get(whole, property) {
      if (property !== 'collection') return Reflect.get(whole, property);
      return (name: string) => {
        const collection = whole.collection(name);
        if (name !== 'idempotency_keys') return collection;
        return new Proxy(collection, {
          get(keys, field) {
            if (field !== 'findOne') return Reflect.get(keys, field).bind(keys);
            return async (filter: object) => {
              const found = await keys.findOne(filter);
              lookups += 1;
              await meanwhile(lookups);
              return found;
            };
          },
        });
      };
    },
  });
}

test('a request whose key another one uses while it is being started gets the answer of that one', async () => {
  const place = await lab.newProject();
  await lab.setFaults({
    rules: [{ match: { project_id: place.projectId }, behaviour: 'slow', seconds: 60 }],
  });
  const code = oneStage(['CheckT1'], ['0']);
  const options = { idempotencyKey: 'tuesday' };
  const start = await lab.saveFlow(place, code, options);
  let faster: StartedRun | null = null;
  // The last lookup before the project is requested.
  const db = afterLookups(lab.database.db, async (lookup) => {
    if (lookup === 2) faster = await start();
  });
  const { engine, settings, areas } = lab;
  const slower = createRunStarts({ db, engine, settings, areas, historyLimit: undefined });
  const answer = await slower.startFlow(place, code, options);
  expect(answer).toEqual(faster);
  await cancel(place.projectId, answer.flow_run_id, answer.execution_id);
});

test('a start that was cut off before its execution was noted has one as soon as its key is answered', async () => {
  const place = await lab.newProject();
  await lab.setFaults({
    rules: [{ match: { project_id: place.projectId }, behaviour: 'slow', seconds: 60 }],
  });
  const start = () => lab.startFlow(place, oneStage(['CheckT1'], ['0']), { idempotencyKey: 'cut off' });
  const { execution_id, flow_run_id } = await start();
  await lab.measuring(place.projectId, execution_id);
  // As if neither the API nor the run had come so far.
  const executions = lab.database.db.collection('executions');
  await executions.deleteOne({ project_id: place.projectId, execution_id });
  expect(await start()).toMatchObject({ execution_id, flow_run_id });
  expect(await lab.areas.executions.store.get(place.projectId, execution_id)).toMatchObject({
    status: 'scheduled',
    note: { flow_run_id },
  });
  await cancel(place.projectId, flow_run_id, execution_id);
  await lab.free(place.projectId);
});

test('a key whose start was refused can be used again', async () => {
  const place = await lab.newProject();
  await lab.setFaults({
    rules: [{ match: { project_id: place.projectId }, behaviour: 'slow', seconds: 60 }],
  });
  const holder = await lab.startFlow(place, oneStage(['CheckT1'], ['0']));
  const start = () => lab.startFlow(place, oneStage(['CheckT1'], ['1']), { idempotencyKey: 'again' });
  await expect(start()).rejects.toMatchObject({ code: 'project_busy' });
  await cancel(place.projectId, holder.flow_run_id, holder.execution_id);
  await lab.free(place.projectId);
  await lab.setFaults({ rules: [] });
  const started = await start();
  expect((await lab.ended(place.projectId, started.execution_id)).status).toBe('completed');
});

test('two projects with the same chip and execution ids run at the same time and never meet', async () => {
  await lab.setFaults({ rules: [{ match: {}, behaviour: 'slow', seconds: 0.3 }] });
  const places = await Promise.all([lab.newProject(), lab.newProject()]);
  const runs = await Promise.all(
    places.map((place) => lab.startFlow(place, oneStage(['CheckRabi', 'CheckT1'], ['0', '1']))),
  );
  expect(runs[0]?.execution_id).toBe(runs[1]?.execution_id);
  for (const [index, place] of places.entries()) {
    const run = runs[index];
    if (!run) throw new Error('no run');
    expect((await lab.ended(place.projectId, run.execution_id)).status).toBe('completed');
    const tasks = await lab.tasksOf(place.projectId, run.execution_id);
    expect(tasks).toHaveLength(4);
    const qubit = await lab.areas.chips.state.read(place.projectId, place.chipId, 'qubit', '0');
    const measured = tasks.find((task) => task.name === 'CheckT1' && task.qid === '0');
    expect(qubit?.data['t1']?.task_id).toBe(measured?.task_id);
    for (const path of tasks.flatMap((task) => [...task.figure_path, ...task.raw_data_path])) {
      expect(path).toContain(place.projectId);
    }
  }
});

test('ids count on per chip and pass over those that another chip of the project has', async () => {
  await lab.setFaults({ rules: [] });
  const place = await lab.newProject();
  await lab.chips.create(place.projectId, 'ada', { chip_id: 'OTHER', size: 16, topology_id: null });
  const code = 'export async function flow(session) { session.log("nothing"); }';
  const ids: string[] = [];
  for (const chipId of ['CHIP', 'OTHER', 'CHIP']) {
    const run = await lab.startFlow({ ...place, chipId }, code);
    await lab.ended(place.projectId, run.execution_id);
    await lab.free(place.projectId);
    ids.push(run.execution_id.slice(-3));
  }
  expect(ids).toEqual(['000', '001', '002']);
});

test('the lock is the open workflow: operators find it by its search attributes', async () => {
  const place = await lab.newProject();
  const run = await lab.startFlow(place, 'export async function flow(session) { session.log("nothing"); }');
  await lab.ended(place.projectId, run.execution_id);
  const found = await eventually(async () => {
    const list = lab.engine.client.workflow.list({
      query: `ProjectId = "${place.projectId}" AND ExecutionId = "${run.execution_id}" AND \`Trigger\` = "api"`,
    });
    for await (const each of list) return each;
    return undefined;
  });
  expect(found.workflowId).toBe(lockWorkflowId(place.projectId));
  const description = await lab.engine.client.workflow.getHandle(found.workflowId).describe();
  expect(await description.staticSummary()).toBe(`nightly · CHIP · ${run.execution_id}`);
});

test('a run that starts while values are changed by hand begins when the change is done', async () => {
  const place = await lab.newProject();
  const { projectId } = place;
  await lab.setFaults({ rules: [] });
  const changed = await lab.runs.whileFree(projectId, 'change the values', async (renew) => {
    const { execution_id } = await lab.startFlow(place, oneStage(['CheckT1'], ['0']));
    await eventually(async () => {
      const run = await lab.engine.client.workflow.getHandle(lockWorkflowId(projectId)).describe();
      return run.raw.pendingActivities?.some(({ lastStartedTime }) => lastStartedTime);
    });
    await renew();
    return { execution_id, at: new Date() };
  });
  const ended = await lab.ended(projectId, changed.execution_id);
  expect(ended.status).toBe('completed');
  expect(Date.parse(String(ended.note.claimed_at))).toBeGreaterThanOrEqual(changed.at.getTime());
});

test('nothing is changed by hand while a run holds the project or its stages have not ended', async () => {
  const place = await lab.newProject();
  const { projectId } = place;
  const change = () => lab.runs.whileFree(projectId, 'change the values', async () => 'changed');
  await lab.setFaults({ rules: [{ match: { project_id: projectId }, behaviour: 'slow', seconds: 60 }] });
  const run = await lab.startFlow(place, oneStage(['CheckT1'], ['0']));
  await expect(change()).rejects.toMatchObject({ code: 'project_busy' });
  await cancel(projectId, run.flow_run_id, run.execution_id);
  await lab.free(projectId);
  expect(await change()).toBe('changed');
  const locks = lab.database.db.collection<{ _id: string }>('execution_locks');
  await locks.updateOne({ _id: projectId }, { $set: { state: 'abandoned' } });
  await expect(change()).rejects.toThrow(run.execution_id);
});

test('a change by hand that takes too long, or whose process died, neither writes nor holds a run up', async () => {
  const projectId = projectNamed(newId());
  const expired = createValueLeases(lab.database.db, 0);
  const { leases } = lab.runs;
  await expect(
    expired.hold(
      projectId,
      async () => {},
      (renew) => renew(),
    ),
  ).rejects.toMatchObject({
    code: 'conflict',
  });
  const held: boolean[] = [];
  await leases.hold(
    projectId,
    async () => {},
    async () => held.push(await leases.areHeld(projectId)),
  );
  await expired.hold(
    projectId,
    async () => {},
    async () => held.push(await leases.areHeld(projectId)),
  );
  expect(held).toEqual([true, false]);
});
