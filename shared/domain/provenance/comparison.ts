import type { ExecutionId, ProjectId } from '../../kernel/ids.ts';
import type { ProvenanceCollections } from './collections.ts';
import type { ComparedParameter, Comparison, EntityDocument, ParameterVersion } from './model.ts';
import { byParameterAndTarget, differenceOf } from './rules.ts';

type Value = ParameterVersion['value'];

/** Compares executions by the values that they recorded. */
export function createComparison({ entities }: Pick<ProvenanceCollections, 'entities'>) {
  /** The newest value of each parameter that an execution recorded. */
  async function valuesOf(projectId: ProjectId, executionId: ExecutionId) {
    const found = await entities
      .find({ project_id: projectId, execution_id: executionId })
      .sort({ valid_from: -1 })
      .project<Pick<EntityDocument, 'parameter_name' | 'qid' | 'value' | 'error' | 'unit' | 'version'>>({
        _id: 0,
        parameter_name: 1,
        qid: 1,
        value: 1,
        error: 1,
        unit: 1,
        version: 1,
      })
      .toArray();
    const values = new Map<string, (typeof found)[number]>();
    for (const each of found) {
      const key = `${each.parameter_name}:${each.qid}`;
      const other = values.get(key);
      if (!other || other.version < each.version) values.set(key, each);
    }
    return values;
  }

  return {
    /** Compares the values of two executions by parameter; an unknown execution has no values. */
    async compare(projectId: ProjectId, before: ExecutionId, after: ExecutionId): Promise<Comparison> {
      const [old, young] = await Promise.all([valuesOf(projectId, before), valuesOf(projectId, after)]);
      const compared = [...new Map([...old, ...young])].map(([key, { parameter_name, qid }]) => {
        const [was, is] = [old.get(key), young.get(key)];
        const value_before: Value | null = was?.value ?? null;
        const value_after: Value | null = is?.value ?? null;
        return {
          parameter_name,
          qid,
          value_before,
          value_after,
          // An error of zero was stored where none was known.
          error_before: was?.error || null,
          error_after: is?.error || null,
          unit: is?.unit ?? was?.unit ?? '',
          ...differenceOf(value_before, value_after),
        };
      });
      compared.sort(byParameterAndTarget);
      const those = (wanted: (each: ComparedParameter) => boolean) => compared.filter(wanted);
      return {
        execution_id_before: before,
        execution_id_after: after,
        added_parameters: those((each) => each.value_before === null),
        removed_parameters: those((each) => each.value_after === null),
        changed_parameters: those(
          (each) =>
            each.value_before !== null && each.value_after !== null && each.value_before !== each.value_after,
        ),
        unchanged_count: those((each) => each.value_before === each.value_after).length,
      };
    },
  };
}
