import { expect, test } from 'vitest';
import { countsOf, engineCounts } from '../../../scripts/bench/engine-counts.ts';

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
