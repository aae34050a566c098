/** Which open runs of a backup continue after a restore, and which are ended. Pure. */
import proto from '@temporalio/proto';

const { EventType } = proto.temporal.api.enums.v1;

/** An event in a workflow's history. */
export interface KnownEvent {
  type: proto.temporal.api.enums.v1.EventType;
  at: Date;
}

/** What a Temporal server writes by itself, before a worker has seen it. */
const WITHOUT_WORKERS: ReadonlySet<KnownEvent['type']> = new Set([
  EventType.EVENT_TYPE_TIMER_FIRED,
  EventType.EVENT_TYPE_WORKFLOW_TASK_SCHEDULED,
  EventType.EVENT_TYPE_WORKFLOW_TASK_TIMED_OUT,
]);

/**
 * When a run changed last before Temporal was copied. Since the restore a timer may have fired, and no worker has acted on it.
 * @param events the newest first
 * @param until when Temporal was copied; null if that is unknown, because the lab copied it after the store
 * @returns undefined if it is none of these events
 */
export function lastChange(events: readonly KnownEvent[], until: Date | null): Date | undefined {
  const isBefore = ({ type, at }: KnownEvent) =>
    until === null ? !WITHOUT_WORKERS.has(type) : at.getTime() <= until.getTime();
  return events.find(isBefore)?.at;
}

/** What Temporal knows about a run. */
export interface KnownRun {
  /** Whether its workflow is open. */
  isOpen: boolean;
  /** Activities and stages that it waits for. */
  pending: number;
  /** The last change of its workflow up to the copy of Temporal. */
  changedAt: Date;
}

/**
 * Why a run cannot go on, as a message; null if it can: it stood still while the backup was made, so the store and Temporal know
 * the same of it, and no instrument works for it.
 * @param known null if Temporal does not know the run
 * @param storeFrom when the copy of the store began
 */
export function whyEnded(known: KnownRun | null, storeFrom: Date): string | null {
  if (known === null) return 'Temporal does not know the run.';
  if (!known.isOpen) return 'The run ended while the backup was made, and its last results are missing.';
  if (known.pending > 0) return 'The run was measuring when the backup was made.';
  if (known.changedAt >= storeFrom) return 'The run went on while the backup was made.';
  return null;
}

/** The message of an execution that is ended by a restore. */
export function endMessage(why: string, takenAt: string): string {
  const minute = `${takenAt.slice(0, 16).replace('T', ' ')} UTC`;
  return `Ended by a restore of the backup of ${minute}. ${why} What it had recorded is kept; start it again with retry or re-execute.`;
}
