import type { Db } from '../../kernel/database.ts';
import { keyOf } from '../../kernel/ids.ts';
import { targetOfQid } from '../provenance/rules.ts';

/** Written about a chip as it is now: nothing of it outlives the chip. */
const OF_CHIP = ['notes', 'note_comments', 'metric_totals'] as const;

/** What was done with a chip, which is kept after its deletion. Each collection has an index that begins with the chip. */
const KEPT = [
  'task_results',
  'executions',
  'execution_counters',
  'qubit_history',
  'coupling_history',
  'chip_history',
  'manual_edits',
  'note_events',
  'provenance_entities',
  'agent_sessions',
  'ai_review_runs',
  'ai_reviews',
] as const;

interface OfChip {
  _id: string;
  project_id: string;
  chip_id: string;
}

type Chip = Omit<OfChip, '_id'>;

/** Keeps a chip apart from a deleted one that had its id. */
export function createFormerChips(db: Db) {
  const collection = (name: string) => db.collection<OfChip>(name);

  /** Removes what is written about a chip as it is now. Safe to repeat. */
  async function forget({ project_id, chip_id }: Chip): Promise<void> {
    await Promise.all(OF_CHIP.map((name) => collection(name).deleteMany({ project_id, chip_id })));
  }

  return {
    forget,

    /**
     * Makes an id free for a new chip: what is kept of the former one goes under `<chip_id>~<time>`, which no chip can
     * be called. To be called before anybody sees the new chip; safe to repeat until then.
     * @param at when the new chip was created
     */
    async retire({ project_id, chip_id }: Chip, at: Date): Promise<void> {
      const former = { $set: { chip_id: `${chip_id}~${at.toISOString()}` } };
      // Current versions by target. Removed before the versions are renamed, which are what names the targets.
      const qids = await collection('provenance_entities').distinct('qid', { project_id, chip_id });
      const heads = qids.map((qid) => keyOf(project_id, chip_id, targetOfQid(String(qid))));
      await collection('provenance_heads').deleteMany({ _id: { $in: heads } });
      await Promise.all([
        forget({ project_id, chip_id }),
        ...KEPT.map((name) => collection(name).updateMany({ project_id, chip_id }, former)),
      ]);
    },
  };
}
