import type { FlowEntry } from '../../shared/domain/flows/model.ts';
import type { FlowErrorReason, FlowFailure } from './protocol.ts';

/** A flow that cannot go on. The message is for its author and names flow and line. Not worth a retry. */
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

/** `flow "nightly" line 12: <message>` */
export function flowMessage(flowName: string, line: number | undefined, message: string): string {
  return `flow "${flowName}"${line === undefined ? '' : ` line ${line}`}: ${message}`;
}
