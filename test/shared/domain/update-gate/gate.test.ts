import { afterAll, beforeAll, expect, test } from 'vitest';
import type { UpdateGate } from '../../../../shared/domain/update-gate/index.ts';
import { CalibronError } from '../../../../shared/kernel/errors.ts';
import { newId } from '../../../../shared/kernel/new-ids.ts';
import { projectNamed } from '../../../support/ids.ts';
import { type Laboratory, oneStage, openLaboratory } from '../../../support/laboratory.ts';

const LONG_AGO = new Date(Date.now() - 3_600_000);

let lab: Laboratory;
let gate: UpdateGate;
beforeAll(async () => {
  lab = await openLaboratory({ SYSTEM_UPDATES: 'on' });
  gate = lab.areas.updateGate;
});
afterAll(() => lab.close());

const document = () => lab.database.db.collection<{ _id: string }>('update_gate');

/** Makes whoever holds the gate, or starts runs, do so since an hour. */
async function age(): Promise<void> {
  const found = await document().findOne({ _id: 'gate' });
  const starts = found && 'starts' in found && Array.isArray(found['starts']) ? found['starts'] : [];
  await document().updateOne(
    { _id: 'gate' },
    { $set: { held_since: LONG_AGO, starts: starts.map((each) => ({ ...each, at: LONG_AGO })) } },
  );
}

test('of many updates and starts of runs at once one kind gets in, and of updates one', async () => {
  for (let round = 0; round < 10; round += 1) {
    const inside: string[] = [];
    const ids = [1, 2, 3].map(() => newId());
    const [taken, started] = await Promise.all([
      Promise.all(ids.map((id) => gate.take(id))),
      Promise.allSettled(
        [1, 2, 3].map((number) =>
          gate.whileOpen(
            projectNamed(`project ${number}`),
            async () => void inside.push(`project ${number}`),
          ),
        ),
      ),
    ]);
    const holders = ids.filter((_, index) => taken[index] === null);
    expect(holders.length).toBeLessThanOrEqual(1);
    for (const answer of started) {
      if (answer.status === 'rejected') expect(answer.reason).toMatchObject({ code: 'update_running' });
    }
    expect(inside).toHaveLength(started.filter(({ status }) => status === 'fulfilled').length);
    for (const id of holders) await gate.release(id);
  }
});

test('while a run is being started no update takes the gate, and after a refused start it does', async () => {
  const id = newId();
  const refusal = new CalibronError('conflict', 'no');
  const starting = gate.whileOpen(projectNamed('project'), async () => {
    expect((await gate.take(id))?.starts).toMatchObject([{ project_id: 'project' }]);
    throw refusal;
  });
  await expect(starting).rejects.toBe(refusal);
  expect(await gate.take(id)).toBeNull();
  await gate.release(id);
});

test('a start with an unknown outcome stays, until the engine shows that there is no such run', async () => {
  await expect(
    gate.whileOpen(projectNamed('project'), async () => {
      throw new Error('the connection was lost');
    }),
  ).rejects.toThrow('lost');
  const refused = await gate.take(newId());
  expect(refused).toMatchObject({ heldBy: null, starts: [{ project_id: 'project' }] });
  const [start] = refused?.starts ?? [];
  if (!start) throw new Error('the start is not there');
  expect(gate.isCutOff(start)).toBe(false);
  await age();
  const [old] = (await gate.take(newId()))?.starts ?? [];
  if (!old) throw new Error('the start is not there');
  expect(gate.isCutOff(old)).toBe(true);
  await gate.forgetStart(old);
  const id = newId();
  expect(await gate.take(id)).toBeNull();
  await gate.release(id);
});

test('a project leaves no more starts behind than were cut off lately', async () => {
  const cutOff = () =>
    gate
      .whileOpen(projectNamed('project'), async () => {
        throw new Error('the connection was lost');
      })
      .catch(() => undefined);
  await cutOff();
  await age();
  await cutOff();
  const refused = await gate.take(newId());
  expect(refused?.starts).toHaveLength(1);
  for (const start of refused?.starts ?? []) await gate.forgetStart(start);
});

test('an update that never had a workflow loses the gate after a while', async () => {
  const id = newId();
  await gate.take(id);
  expect(await gate.holder()).toMatchObject({ operation_id: id });
  await age();
  expect(await gate.holder()).toBeNull();
  expect(await gate.isHeldBy(id)).toBe(false);
});

test('a run that came past the gate all the same measures nothing while an update holds it', async () => {
  const place = await lab.newProject({ size: 4 });
  // No worker yet: its start is seen, its workflow waits.
  const run = await lab.startFlow(place, oneStage(['CheckT1'], ['0']));
  const id = newId();
  expect(await gate.take(id)).toBeNull();
  const worker = await lab.startWorker();
  const ended = await lab.ended(place.projectId, run.execution_id);
  expect(ended.status).toBe('failed');
  expect(await lab.journal(place.projectId, run.execution_id)).toEqual([]);
  await worker.stop();
  await gate.release(id);
});
