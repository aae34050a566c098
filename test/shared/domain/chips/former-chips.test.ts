import type { CommandSucceededEvent } from 'mongodb';
import { expect, inject, test } from 'vitest';
import { createFormerChips } from '../../../../shared/domain/chips/former-chips.ts';
import { connectDatabase } from '../../../../shared/kernel/database.ts';
import type { ProjectId } from '../../../../shared/kernel/ids.ts';
import { projectNamed } from '../../../support/ids.ts';

interface Row {
  _id: string;
  project_id: ProjectId;
  chip_id: string;
}

test('all results of a former chip get its other name, a bounded number in each command', async () => {
  const project_id = projectNamed('former');
  const other = projectNamed('another');
  const database = await connectDatabase(inject('mongodb'), 'former_chips', { monitorCommands: true });
  const results = database.db.collection<Row>('task_results');
  await results.deleteMany({});
  const rows = (project: ProjectId, chip_id: string, count: number) =>
    Array.from({ length: count }, (_, index): Row => {
      return { _id: `${project}/${chip_id}/${index}`, project_id: project, chip_id };
    });
  await results.insertMany([...rows(project_id, 'CHIP', 1201), ...rows(project_id, 'KEPT', 3)]);
  await results.insertMany(rows(other, 'CHIP', 2));

  const changed: number[] = [];
  database.client.on('commandSucceeded', ({ commandName, reply }: CommandSucceededEvent) => {
    if (commandName === 'update') changed.push(Number(Object(reply).nModified));
  });
  const at = new Date('2026-11-28T10:00:00Z');
  await createFormerChips(database.db).retire({ project_id, chip_id: 'CHIP' }, at);

  expect(await results.countDocuments({ project_id, chip_id: `CHIP~${at.toISOString()}` })).toBe(1201);
  expect(await results.countDocuments({ project_id, chip_id: 'CHIP' })).toBe(0);
  expect(await results.countDocuments({ project_id, chip_id: 'KEPT' })).toBe(3);
  expect(await results.countDocuments({ project_id: other, chip_id: 'CHIP' })).toBe(2);
  expect(Math.max(...changed)).toBeLessThanOrEqual(500);
  await database.close();
});
