import { keyOf, type ProjectId } from '../../kernel/ids.ts';
import { inParts } from '../../kernel/parts.ts';
import type { ProvenanceCollections } from './collections.ts';
import type { EntityDocument } from './model.ts';

/** A version of a value, with the target's own id. */
export type RecentVersion = Pick<
  EntityDocument,
  | 'entity_id'
  | 'parameter_name'
  | 'value'
  | 'error'
  | 'unit'
  | 'valid_from'
  | 'task_name'
  | 'task_id'
  | 'previous'
>;

/** The newest versions of the values of some targets: by target, then by parameter, newest first. */
export type RecentVersions = Map<string, Map<string, RecentVersion[]>>;

const shown = {
  entity_id: 1,
  parameter_name: 1,
  value: 1,
  error: 1,
  unit: 1,
  valid_from: 1,
  task_name: 1,
  task_id: 1,
  previous: 1,
} as const;
/** Maximum number of keys per query. */
const KEYS_AT_ONCE = 2000;

/** A version to read. */
interface Wanted {
  qid: string;
  id: string;
}

/** Reads the newest versions of many values, each by its key. */
export function createNewestVersions({ entities, heads }: ProvenanceCollections) {
  async function versionsOf(
    projectId: ProjectId,
    ids: readonly string[],
  ): Promise<Map<string, RecentVersion>> {
    const found = new Map<string, RecentVersion>();
    for (const part of inParts(ids, KEYS_AT_ONCE)) {
      const keys = part.map((id) => keyOf(projectId, id));
      const some = await entities
        .find({ _id: { $in: keys } })
        .project<RecentVersion>(shown)
        .toArray();
      for (const version of some) found.set(version.entity_id, version);
    }
    return found;
  }

  return {
    /**
     * The newest versions of all values of some targets of a chip. All values go back one version at a time together, so the
     * number of queries depends on how far they go back, not on how many they are.
     * @param goOn whether an older version of a parameter is read than the last of these, which are newest first
     */
    async newestVersions(
      projectId: ProjectId,
      chipId: string,
      qids: readonly string[],
      goOn: (parameter: string, found: readonly RecentVersion[], current: readonly Date[]) => boolean,
    ): Promise<RecentVersions> {
      const keys = new Map(qids.map((qid) => [keyOf(projectId, chipId, qid), qid]));
      const known = await heads.find({ _id: { $in: [...keys.keys()] } }).toArray();
      const current = known.flatMap(({ parameters }) =>
        Object.values(parameters).flatMap(({ valid_from }) => valid_from ?? []),
      );
      const all: RecentVersions = new Map(qids.map((qid) => [qid, new Map()]));
      let wanted = known.flatMap(({ _id, parameters }): Wanted[] => {
        const qid = keys.get(_id) ?? '';
        return Object.values(parameters).map(({ entity_id }) => ({ qid, id: entity_id }));
      });
      while (wanted.length > 0) {
        const found = await versionsOf(
          projectId,
          wanted.map(({ id }) => id),
        );
        wanted = wanted.flatMap(({ qid, id }): Wanted[] => {
          const version = found.get(id);
          if (!version) return [];
          const ofTarget = all.get(qid);
          const versions = [...(ofTarget?.get(version.parameter_name) ?? []), version];
          ofTarget?.set(version.parameter_name, versions);
          const older = version.previous ?? null;
          return older !== null && goOn(version.parameter_name, versions, current)
            ? [{ qid, id: older }]
            : [];
        });
      }
      return all;
    },
  };
}
