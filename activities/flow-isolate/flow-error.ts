import type { FlowEntry } from '../../shared/domain/flows/model.ts';
import type { FlowErrorReason, FlowFailure } from './protocol.ts';

/** A flow that cannot continue. The message is for its author and names flow and line. A retry is useless. */
export class FlowError extends Error {
  override readonly name = 'FlowError';
  readonly reason: FlowErrorReason;
  readonly line: number | undefined;
  /** What the flow logged and recorded since its previous command. */
  readonly entries: FlowEntry[];

  constructor(failure: FlowFailure) {
    super(failure.message);
    this.reason = failure.reason;
    this.line = failure.line;
    this.entries = failure.entries;
  }
}

/** The error of a flow that has used up the processor time of a run. `at` is its position, if known. */
export function runTimeError(
  flowName: string,
  { runMs }: { runMs: number },
  at?: Pick<FlowError, 'line' | 'entries'>,
): FlowError {
  const message = `the flow computed for more than ${runMs / 1000} s in all of this run; let it compute less or ask for less`;
  return new FlowError({
    reason: 'time',
    message: flowMessage(flowName, at?.line, message),
    ...(at?.line === undefined ? {} : { line: at.line }),
    entries: at?.entries ?? [],
  });
}

/** A call was aborted because its run was cancelled or its worker is stopping. */
export class FlowStopped extends Error {
  override readonly name = 'FlowStopped';
}

/** `flow "nightly" line 12: <message>` */
export function flowMessage(flowName: string, line: number | undefined, message: string): string {
  return `flow "${flowName}"${line === undefined ? '' : ` line ${line}`}: ${message}`;
}
