import { keyOf, type ProjectId } from '../../kernel/ids.ts';
import { isoTime } from '../../kernel/time.ts';
import type { ProvenanceCollections } from './collections.ts';
import type { DegradationTrend, DegradationTrends, EntityDocument } from './model.ts';
import { byParameterAndTarget, differenceOf, type EvaluationMode, worseningStreak } from './rules.ts';

/** Number of versions examined beyond the shortest streak. */
const FURTHER_VERSIONS = 5;
/** Maximum number of keys per query. */
const KEYS_AT_ONCE = 2000;

type Version = Pick<
  EntityDocument,
  'entity_id' | 'parameter_name' | 'chip_id' | 'qid' | 'value' | 'unit' | 'valid_from'
>;
const shown = {
  entity_id: 1,
  parameter_name: 1,
  chip_id: 1,
  qid: 1,
  value: 1,
  unit: 1,
  valid_from: 1,
} as const;

/** Finds parameters that become worse from version to version. */
export function createTrends({ entities, relations }: ProvenanceCollections) {
  /** The previous version of each, by the id of the later one. */
  async function previousOf(projectId: ProjectId, ids: readonly string[]): Promise<Map<string, Version>> {
    const found = new Map<string, Version>();
    for (let first = 0; first < ids.length; first += KEYS_AT_ONCE) {
      const some = ids.slice(first, first + KEYS_AT_ONCE);
      const derived = await relations
        .find({ project_id: projectId, source_id: { $in: some }, relation_type: 'wasDerivedFrom' })
        .project<{ source_id: string; target_id: string }>({ _id: 0, source_id: 1, target_id: 1 })
        .toArray();
      const previous = await entities
        .find({ _id: { $in: derived.map(({ target_id }) => keyOf(projectId, target_id)) } })
        .project<Version>(shown)
        .toArray();
      const byId = new Map(previous.map((each) => [each.entity_id, each]));
      for (const { source_id, target_id } of derived) {
        const version = byId.get(target_id);
        if (version) found.set(source_id, version);
      }
    }
    return found;
  }

  return {
    /**
     * Current values at the end of a streak of strictly worse versions, longest streak first. All targets go back one
     * version at a time together, and only those whose streak continues. The number of queries therefore depends on the
     * length of a streak, not on the number of targets.
     * @param modes the direction in which each parameter improves; other parameters are ignored
     */
    async degradationTrends(
      projectId: ProjectId,
      modes: ReadonlyMap<string, EvaluationMode>,
      wanted: { minStreak: number; limit: number; chip_id?: string | undefined },
    ): Promise<DegradationTrends> {
      const current = await entities
        .find({
          project_id: projectId,
          parameter_name: { $in: [...modes.keys()] },
          valid_until: null,
          ...(wanted.chip_id === undefined ? {} : { chip_id: wanted.chip_id }),
        })
        .project<Version>(shown)
        .toArray();
      const series = current.map((version) => [version]);
      let open = series;
      for (let step = 1; open.length > 0 && step < wanted.minStreak + FURTHER_VERSIONS; step += 1) {
        const previous = await previousOf(
          projectId,
          open.flatMap((versions) => versions.at(-1)?.entity_id ?? []),
        );
        open = open.filter((versions) => {
          const before = previous.get(versions.at(-1)?.entity_id ?? '');
          if (!before) return false;
          versions.push(before);
          return streakOf(versions, modes).count === versions.length - 1;
        });
      }
      const trends = series.flatMap((versions) => trendOf(versions, modes, wanted.minStreak));
      trends.sort(
        (a, b) =>
          b.streak_count - a.streak_count ||
          Math.abs(b.total_delta_percent ?? 0) - Math.abs(a.total_delta_percent ?? 0) ||
          byParameterAndTarget(a, b) ||
          (a.current_entity_id < b.current_entity_id ? -1 : 1),
      );
      return { trends: trends.slice(0, wanted.limit), total_count: trends.length };
    },
  };
}

function streakOf(versions: readonly Version[], modes: ReadonlyMap<string, EvaluationMode>) {
  const mode = modes.get(versions[0]?.parameter_name ?? '') ?? 'maximize';
  return worseningStreak(
    versions.map(({ value }) => value),
    mode,
  );
}

function trendOf(
  versions: readonly Version[],
  modes: ReadonlyMap<string, EvaluationMode>,
  minStreak: number,
): DegradationTrend[] {
  const [current] = versions;
  const mode = current && modes.get(current.parameter_name);
  if (!current || !mode) return [];
  const { count, values } = streakOf(versions, modes);
  const [oldest] = values;
  const newest = values.at(-1);
  if (count < minStreak || oldest === undefined || newest === undefined) return [];
  const { delta, delta_percent } = differenceOf(oldest, newest);
  const total = delta ?? 0;
  return [
    {
      parameter_name: current.parameter_name,
      chip_id: current.chip_id,
      qid: current.qid,
      evaluation_mode: mode,
      streak_count: count,
      total_delta: total,
      total_delta_percent: delta_percent,
      delta_per_step: total / count,
      current_value: newest,
      current_entity_id: current.entity_id,
      unit: current.unit,
      values,
      valid_from: isoTime(current.valid_from),
    },
  ];
}
