import { hostname } from 'node:os';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { domain } from '../../shared/domain/areas.ts';
import { type CollectionIndexes, connectDatabase } from '../../shared/kernel/database.ts';
import { createLog } from '../../shared/kernel/log.ts';
import { workflowBundle } from '../../workers/bundle.ts';
import { type RunningWorkers, startWorkers } from '../../workers/workers.ts';
import { uncovered, watchIndexUse } from '../support/index-coverage.ts';
import { type Laboratory, oneStage, openLaboratory } from '../support/laboratory.ts';

let lab: Laboratory;
let workers: RunningWorkers;
let watched: Awaited<ReturnType<typeof connectDatabase>>;
let use: ReturnType<typeof watchIndexUse>;
beforeAll(async () => {
  lab = await openLaboratory();
  watched = await connectDatabase(lab.settings.MONGODB_URI, lab.settings.MONGODB_DATABASE, {
    monitorCommands: true,
  });
  use = watchIndexUse(watched.client, domain.collections);
  workers = await startWorkers({
    settings: lab.settings,
    db: watched.db,
    engine: lab.engine,
    log: createLog('test', 'SILENT'),
    bundlePath: await workflowBundle(lab.cache),
    identity: `test@${hostname()}`,
  });
});
afterAll(async () => {
  await workers.stop();
  await watched.close();
  await lab.close();
});

test('every question that workers ask of the store in a run is served by an index', async () => {
  const place = await lab.newProject();
  await lab.setFaults({
    rules: [{ match: { project_id: place.projectId, targets: ['1'] }, behaviour: 'error' }],
  });
  const run = await lab.startFlow(place, oneStage(['CheckRabi', 'CheckT1'], ['0', '1']));
  await lab.ended(place.projectId, run.execution_id);
  await workers.reconcile();
  expect(use.seen()).toBeGreaterThan(30);
  expect([...use.breaches]).toEqual([]);
});

test('the check of index use tells what is served from what is not', () => {
  const declared = [
    {
      collection: 'tasks',
      indexes: [
        { name: 'by_start', key: { project_id: 1 as const, chip_id: 1 as const, start_at: -1 as const } },
      ],
    },
  ];
  const ask = (filter: Record<string, unknown>, sort: Record<string, 1 | -1> = {}) =>
    uncovered('tasks', filter, sort, declared);
  expect(ask({ _id: 'p/1' })).toBeNull();
  expect(ask({ project_id: 'p', chip_id: 'c' }, { start_at: -1 })).toBeNull();
  expect(ask({ project_id: 'p', chip_id: 'c' }, { start_at: 1 })).toBeNull();
  expect(ask({ project_id: 'p', chip_id: 'c', start_at: { $gte: 1 } }, { start_at: -1 })).toBeNull();
  expect(ask({ project_id: 'p' }, { start_at: -1 })).not.toBeNull();
  expect(ask({ chip_id: 'c' })).not.toBeNull();
  expect(ask({ project_id: 'p', chip_id: 'c' }, { name: 1 })).not.toBeNull();
  expect(ask({})).not.toBeNull();
  const alternatives = { $or: [{ chip_id: 'c' }, { start_at: { $lt: 1 } }] };
  expect(ask({ project_id: 'p', $or: [{ chip_id: 'c' }, { chip_id: 'd' }] })).toBeNull();
  expect(ask({ project_id: 'p', ...alternatives })).not.toBeNull();
  expect(ask({ project_id: 'p', $and: [{ chip_id: 'c' }, { start_at: 1 }] })).toBeNull();
  expect(ask({ project_id: 'p', $and: [alternatives] })).not.toBeNull();
  expect(ask({ project_id: 'p', $and: [{ $or: [{ chip_id: 'c' }, { chip_id: 'd' }] }] })).toBeNull();
  const valueAndRange = [{ chip_id: 'c' }, { chip_id: { $gt: 'b' } }];
  expect(ask({ project_id: 'p', $and: valueAndRange }, { start_at: -1 })).toBeNull();
  expect(ask({ project_id: 'p', $and: valueAndRange.toReversed() }, { start_at: -1 })).toBeNull();
  const twice = [{ $or: [{ chip_id: 'c' }, { name: 'n' }] }, { $or: [{ chip_id: 'c' }, { chip_id: 'd' }] }];
  expect(ask({ project_id: 'p', $and: twice })).toBeNull();
});

test('where there may be millions, all that a question asks for has to be in one index, but for what leaves out little', () => {
  const declared: CollectionIndexes[] = [
    {
      collection: 'qubit_history',
      indexes: [
        { name: 'a', key: { project_id: 1, chip_id: 1, qid: 1 } },
        { name: 'b', key: { project_id: 1, recorded_date: -1 } },
      ],
    },
  ];
  const ask = (filter: Record<string, unknown>, sort: Record<string, 1 | -1> = {}) =>
    uncovered('qubit_history', filter, sort, declared);
  expect(ask({ project_id: 'p', chip_id: 'c', qid: '0' })).toBeNull();
  expect(ask({ project_id: 'p', chip_id: 'c', qid: { $gt: '0' } })).toBeNull();
  expect(ask({ project_id: 'p', recorded_date: { $lt: '2026' } }, { recorded_date: 1 })).toBeNull();
  expect(ask({ project_id: 'p', qid: '0' })).not.toBeNull();
  expect(ask({ project_id: 'p', chip_id: 'c', recorded_date: '2026' })).not.toBeNull();
  expect(ask({ project_id: 'p', chip_id: 'c', recorded_date: { $gt: '2026' } })).not.toBeNull();
});
