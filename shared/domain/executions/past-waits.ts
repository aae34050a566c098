import type { Collection } from 'mongodb';
import type { ExecutionDocument, PastWait } from './model.ts';

/** Maximum number of past waits that an execution keeps. */
const WAITS = 200;

/** What an open execution waited for, as stored. */
type StoredWaits = Pick<ExecutionDocument, '_id' | 'waiting' | 'preempted' | 'paused'>;

/** The waits of an execution, in the form in which past waits are kept. */
function waitsOf({ waiting, preempted, paused }: StoredWaits, to: Date): PastWait[] {
  const waits: PastWait[] = [];
  if (waiting) waits.push({ ...(waiting.kind && { kind: waiting.kind }), from: new Date(waiting.since), to });
  if (preempted) waits.push({ kind: 'preemption', from: new Date(preempted.since), to });
  if (paused) waits.push({ kind: 'resume', from: new Date(paused.at), to });
  return waits;
}

/** Keeps waits that are over, for the account of the run's time; the first ones of an execution only. */
export async function keepWaits(
  executions: Collection<ExecutionDocument>,
  over: StoredWaits,
  until = new Date(),
): Promise<void> {
  for (const wait of waitsOf(over, until)) {
    await executions.updateOne(
      { _id: over._id, [`waits.${WAITS - 1}`]: { $exists: false } },
      { $push: { waits: wait } },
    );
  }
}
