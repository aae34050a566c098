import type { Db } from '../../kernel/database.ts';
import { keyOf } from '../../kernel/ids.ts';
import { targetOfQid } from '../provenance/rules.ts';

/**
 * What becomes of what belongs to a chip when the chip is deleted, by collection. `removed`: it is about the chip as it
 * is now. `kept`: it was done with the chip, and goes under another name. `named`: it only names the chip, and the chip
 * that has the id now is meant; `own`: it is the chip, or its deletion takes the id out.
 */
export const ruleOfCollection: Readonly<Record<string, 'removed' | 'kept' | 'named' | 'own'>> = {
  chips: 'own',
  qubits: 'own',
  couplings: 'own',
  cooldowns: 'own',
  notes: 'removed',
  note_comments: 'removed',
  metric_totals: 'removed',
  task_results: 'kept',
  executions: 'kept',
  execution_counters: 'kept',
  qubit_history: 'kept',
  coupling_history: 'kept',
  chip_history: 'kept',
  manual_edits: 'kept',
  note_events: 'kept',
  provenance_entities: 'kept',
  agent_sessions: 'kept',
  agent_commits: 'kept',
  ai_review_runs: 'kept',
  ai_reviews: 'kept',
  knowledge_cases: 'kept',
  forum_threads: 'kept',
  // Nothing finds one by its chip: it is reached from the versions that it made.
  provenance_activities: 'named',
  flows: 'named',
  flow_versions: 'named',
  menus: 'named',
  // Paused when the chip is deleted.
  schedules: 'named',
  // Waited for by the deletion, or held for seconds by the change that it belongs to.
  value_leases: 'named',
};

const collectionsWith = (rule: 'removed' | 'kept') =>
  Object.keys(ruleOfCollection).filter((name) => ruleOfCollection[name] === rule);
const REMOVED = collectionsWith('removed');
const KEPT = collectionsWith('kept');

/** What an index of a collection has before the chip. */
const beforeChip: Readonly<Record<string, object>> = {
  forum_threads: { is_deleted: { $in: [true, false] } },
};

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
    await Promise.all(REMOVED.map((name) => collection(name).deleteMany({ project_id, chip_id })));
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
        ...KEPT.map((name) =>
          collection(name).updateMany({ project_id, ...beforeChip[name], chip_id }, former),
        ),
      ]);
    },
  };
}
