import { expect, test } from 'vitest';
import { countsOf, engineCounts, storeCounts } from '../../../scripts/bench/engine-counts.ts';
import { withOwnStore } from '../engines/stores.ts';

test('of what Temporal counts, requests to its front end are told by operation, and writes to its database as commits', () => {
  const metrics = [
    '# TYPE service_requests counter',
    'service_requests{namespace="a",operation="PollActivityTaskQueue",service_name="frontend"} 3',
    'service_requests{namespace="b",operation="PollActivityTaskQueue",service_name="frontend"} 1.2e+01',
    'service_requests{namespace="a",operation="RecordActivityTaskStarted",service_name="history"} 5',
    'service_requests_per_second{operation="PollActivityTaskQueue",service_name="frontend"} 9',
    'persistence_requests{namespace="a",operation="GetWorkflowExecution",service_name="history"} 7',
    'persistence_requests{namespace="a",operation="UpdateWorkflowExecution",service_name="history"} 11',
    'persistence_requests{namespace="a",operation="CreateTasks",service_name="matching"} 2',
  ].join('\n');
  expect(countsOf(metrics)).toEqual({ 'rpc PollActivityTaskQueue': 15, commits: 13 });
});

test('an engine that another process runs is asked for no counts', async () => {
  expect(await engineCounts(null)).toEqual({});
});

test('a store on disk tells how often it has committed, which it does for each write', () =>
  withOwnStore(async ({ source, start, stop, connect }) => {
    const { database, close } = connect(await start());
    const commits = async () => (await storeCounts(database))['commits'] ?? expect.fail('it does not say');
    await database.collection('documents').insertOne({ n: 0 });
    const before = await commits();
    for (let n = 1; n <= 5; n += 1) await database.collection('documents').insertOne({ n });
    const after = await commits();
    expect(after - before).toBeGreaterThanOrEqual(5);
    await database.collection('documents').countDocuments();
    // A real one writes its journal every so often, too.
    const isEmbedded = source.kind === 'program' && source.flavour === 'mongo-java-server';
    if (isEmbedded) expect([after - before, await commits()]).toEqual([5, after]);
    await close();
    await stop();
  }));
