import { gunzipSync } from 'node:zlib';
import proto from '@temporalio/proto';

const SERVICE = '/temporal.api.workflowservice.v1.WorkflowService/';
/** The one call that names a task queue. */
export const POLL = `${SERVICE}PollActivityTaskQueue`;

/** Calls with the token of an activity, which only the worker that polled it has, and calls about the server itself. */
const OPEN = new Set([
  ...[
    'DescribeNamespace',
    'GetSystemInfo',
    'RecordActivityTaskHeartbeat',
    'RecordWorkerHeartbeat',
    'RespondActivityTaskCanceled',
    'RespondActivityTaskCompleted',
    'RespondActivityTaskFailed',
    'ShutdownWorker',
  ].map((call) => `${SERVICE}${call}`),
  '/grpc.health.v1.Health/Check',
]);

/** Bytes in front of a gRPC message: whether it is compressed, and its length. */
const PREFIX = 5;
/** Maximum bytes of a poll after decompression; a real one has some hundred. */
const POLL_LIMIT = 64 * 1024;

/** Whether a backend may make a call, whatever its content. */
export function isOpenCall(path: string): boolean {
  return OPEN.has(path);
}

/** What a backend may poll. */
export interface Polled {
  namespace: string;
  queues: readonly string[];
}

/** Whether a poll, as a gRPC message, is one of the backend's own queues. A message that cannot be read is not. */
export function isOwnPoll(message: Buffer, { namespace, queues }: Polled): boolean {
  try {
    const poll = proto.temporal.api.workflowservice.v1.PollActivityTaskQueueRequest.decode(
      contentOf(message),
    );
    return poll.namespace === namespace && queues.includes(poll.taskQueue?.name ?? '');
  } catch {
    return false;
  }
}

/** @throws Error for anything but one whole message */
function contentOf(message: Buffer): Buffer {
  if (message.length < PREFIX || message.length !== PREFIX + message.readUInt32BE(1)) {
    throw new Error('not one gRPC message');
  }
  const content = message.subarray(PREFIX);
  return message[0] === 1 ? gunzipSync(content, { maxOutputLength: POLL_LIMIT }) : content;
}
