import { gzipSync } from 'node:zlib';
import proto from '@temporalio/proto';
import { expect, test } from 'vitest';
import { isOpenCall, isOwnPoll } from '../../../workers/backend-route/rules.ts';

const own = { namespace: 'lab', queues: ['backend:fridge'] };

/** A poll as a gRPC message. */
function poll(namespace: string, queue: string | null, isCompressed = false): Buffer {
  const encoded = Buffer.from(
    proto.temporal.api.workflowservice.v1.PollActivityTaskQueueRequest.encode({
      namespace,
      taskQueue: queue === null ? null : { name: queue },
    }).finish(),
  );
  const content = isCompressed ? gzipSync(encoded) : encoded;
  const prefix = Buffer.alloc(5);
  prefix.writeUInt8(isCompressed ? 1 : 0, 0);
  prefix.writeUInt32BE(content.length, 1);
  return Buffer.concat([prefix, content]);
}

test('a backend may poll its own queue in its namespace, compressed or not', () => {
  for (const isCompressed of [false, true]) {
    expect(isOwnPoll(poll('lab', 'backend:fridge', isCompressed), own)).toBe(true);
    expect(isOwnPoll(poll('lab', 'backend:other', isCompressed), own)).toBe(false);
    expect(isOwnPoll(poll('other', 'backend:fridge', isCompressed), own)).toBe(false);
    expect(isOwnPoll(poll('lab', null, isCompressed), own)).toBe(false);
  }
});

test('what is no single whole message is no poll', () => {
  const whole = poll('lab', 'backend:fridge');
  const messages = [
    Buffer.alloc(0),
    whole.subarray(0, -1),
    Buffer.concat([whole, whole]),
    Buffer.concat([Buffer.from([1]), whole.subarray(1)]),
    Buffer.concat([Buffer.from([0, 0, 0, 0, 4]), Buffer.alloc(4, 255)]),
  ];
  for (const message of messages) expect(isOwnPoll(message, own)).toBe(false);
});

test('a backend may report on activities, and neither start workflows nor read them', () => {
  const service = '/temporal.api.workflowservice.v1.WorkflowService/';
  expect(isOpenCall(`${service}RespondActivityTaskCompleted`)).toBe(true);
  expect(isOpenCall(`${service}RecordActivityTaskHeartbeat`)).toBe(true);
  for (const call of [
    'StartWorkflowExecution',
    'GetWorkflowExecutionHistory',
    'ListWorkflowExecutions',
    'RespondActivityTaskCompletedById',
    'PollWorkflowTaskQueue',
    'PollActivityTaskQueue',
    'TerminateWorkflowExecution',
  ]) {
    expect(isOpenCall(`${service}${call}`)).toBe(false);
  }
  expect(isOpenCall('/temporal.api.operatorservice.v1.OperatorService/DeleteNamespace')).toBe(false);
});
