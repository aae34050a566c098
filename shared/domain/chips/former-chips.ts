import type { Db } from '../../kernel/database.ts';
import { keyOf, type ProjectId } from '../../kernel/ids.ts';
import { inBatches } from '../../kernel/in-batches.ts';
import { targetOfQid } from '../provenance/rules.ts';

/**
 * What happens to documents about a chip when it is deleted, by collection. `removed`: it describes the current chip. `kept`: it
 * was done with the chip, and is renamed. `named`: it only names the chip id, and refers to the chip that currently has it.
 * `own`: it is the chip itself, or the deletion removes the id from it.
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
  // Never found by its chip, only through the versions that it created.
  provenance_activities: 'named',
  flows: 'named',
  flow_versions: 'named',
  menus: 'named',
  // Paused when the chip is deleted.
  schedules: 'named',
  // The deletion waits for them; otherwise they live for seconds, during the change that they belong to.
  value_leases: 'named',
};

const collectionsWith = (rule: 'removed' | 'kept') =>
  Object.keys(ruleOfCollection).filter((name) => ruleOfCollection[name] === rule);
const REMOVED = collectionsWith('removed');
const KEPT = collectionsWith('kept');

/** Documents that one command changes: a chip can have a hundred thousand results, more than a server changes within a timeout. */
const BATCH = 500;

/** Fields that precede the chip in an index of a collection. */
const beforeChip: Readonly<Record<string, object>> = {
  forum_threads: { is_deleted: { $in: [true, false] } },
};

interface OfChip {
  _id: string;
  project_id: ProjectId;
  chip_id: string;
}

type Chip = Omit<OfChip, '_id'>;

/** Separates a chip from a deleted chip that had the same id. */
export function createFormerChips(db: Db) {
  const collection = (name: string) => db.collection<OfChip>(name);

  /** Removes the documents that describe the current chip. Safe to repeat. */
  async function forget({ project_id, chip_id }: Chip): Promise<void> {
    await Promise.all(REMOVED.map((name) => collection(name).deleteMany({ project_id, chip_id })));
  }

  /** Renames the chip in all documents of a collection. */
  async function rename(name: string, { project_id, chip_id }: Chip, formerId: string): Promise<void> {
    const ofChip = { project_id, ...beforeChip[name], chip_id };
    const documents = collection(name);
    const idsOf = (limit: number) =>
      documents
        .find(ofChip, { projection: { _id: 1 } })
        .limit(limit)
        .map(({ _id }) => _id)
        .toArray();
    await inBatches(BATCH, idsOf, (ids) =>
      documents.updateMany({ _id: { $in: [...ids] }, project_id, chip_id }, { $set: { chip_id: formerId } }),
    );
  }

  return {
    forget,

    /**
     * Frees an id for a new chip: what is kept of the former chip is renamed to `<chip_id>~<time>`, which is not a valid chip id.
     * Call it before the new chip becomes visible; safe to repeat until then.
     * @param at when the new chip was created
     */
    async retire({ project_id, chip_id }: Chip, at: Date): Promise<void> {
      const formerId = `${chip_id}~${at.toISOString()}`;
      // Current versions by target. Removed before the versions are renamed, because the versions provide the names of the
      // targets.
      const qids = await collection('provenance_entities').distinct('qid', { project_id, chip_id });
      const heads = qids.map((qid) => keyOf(project_id, chip_id, targetOfQid(String(qid))));
      await collection('provenance_heads').deleteMany({ _id: { $in: heads } });
      await Promise.all([
        forget({ project_id, chip_id }),
        ...KEPT.map((name) => rename(name, { project_id, chip_id }, formerId)),
      ]);
    },
  };
}
