import type { ProjectId } from '../../kernel/ids.ts';
import type { ChipSince, Judging, Target } from './known-targets.ts';
import type { MaintainedValues, MaintenanceQuery, MaintenanceSummary } from './model.ts';
import { createJudge, type JudgedValue, type ValuePlace, type ValueStateName } from './state-rules.ts';
import { valueShown } from './wire.ts';

/** Judges the values of chips from what is stored. */
export function createStates({ chips, knownParts, graphOf, settings, now }: Judging) {
  /** Judges the values of targets, a part of the targets at a time. */
  async function* judgedValues(chip: ChipSince, targets: readonly Target[]): AsyncGenerator<JudgedValue[]> {
    const current = await settings();
    const { index } = await graphOf(chip.project_id);
    for await (const { some, known } of knownParts(chip, targets, current)) {
      const judge = createJudge({ graph: index, known, settings: current, now: now() });
      yield some.flatMap(({ kind, qid, parameters }) =>
        parameters.map((parameter): JudgedValue => judge({ kind, qid, parameter } satisfies ValuePlace)),
      );
    }
  }

  /** The targets of a chip with the parameters that a query asks for. */
  async function targetsOf(
    projectId: ProjectId,
    chipId: string,
    query: Pick<MaintenanceQuery, 'target_kind' | 'qid' | 'parameter_name'>,
  ): Promise<Target[]> {
    const kinds = query.target_kind ? [query.target_kind] : (['qubit', 'coupling'] as const);
    const wanted = new Set(query.qid);
    const { parameters: all } = await graphOf(projectId);
    const found = await Promise.all(
      kinds.map(async (kind) => {
        const ids =
          kind === 'qubit'
            ? await chips.allQubitIds(projectId, chipId)
            : await chips.allCouplingIds(projectId, chipId);
        const { parameter_name: names } = query;
        const parameters = names.length === 0 ? all[kind] : all[kind].filter((name) => names.includes(name));
        return ids
          .filter((qid) => wanted.size === 0 || wanted.has(qid))
          .map((qid): Target => ({ kind, qid, parameters }));
      }),
    );
    return found.flat();
  }

  return {
    /** A page of the values of a chip with their states. @throws not_found */
    async states(projectId: ProjectId, chipId: string, query: MaintenanceQuery): Promise<MaintainedValues> {
      const chip = await chips.mustGet(projectId, chipId);
      const targets = await targetsOf(projectId, chipId, query);
      const { skip, limit } = query;
      const page = { chip_id: chipId, skip, limit };
      if (query.state.length === 0) {
        const { shown, before, total } = pageOf(targets, skip, limit);
        const values: JudgedValue[] = [];
        for await (const some of judgedValues(chip, shown)) values.push(...some);
        return { ...page, items: values.slice(skip - before, skip - before + limit).map(valueShown), total };
      }
      const values: JudgedValue[] = [];
      let total = 0;
      for await (const some of judgedValues(chip, targets)) {
        for (const value of some) {
          if (!query.state.includes(value.state)) continue;
          if (total >= skip && values.length < limit) values.push(value);
          total += 1;
        }
      }
      return { ...page, items: values.map(valueShown), total };
    },

    /** How many values of a chip are in which state. @throws not_found */
    async summary(projectId: ProjectId, chipId: string): Promise<MaintenanceSummary> {
      const chip = await chips.mustGet(projectId, chipId);
      const targets = await targetsOf(projectId, chipId, { qid: [], parameter_name: [] });
      const states = noCounts();
      const byParameter = new Map<string, MaintenanceSummary['parameters'][number]>();
      for await (const some of judgedValues(chip, targets)) {
        for (const { kind, parameter, state } of some) {
          const key = `${kind}/${parameter}`;
          const own = byParameter.get(key) ?? {
            target_kind: kind,
            parameter_name: parameter,
            states: noCounts(),
          };
          byParameter.set(key, own);
          own.states[state] += 1;
          states[state] += 1;
        }
      }
      return { chip_id: chipId, states, parameters: [...byParameter.values()] };
    },
  };
}

function noCounts(): MaintenanceSummary['states'] {
  return { fresh: 0, due: 0, stale: 0, broken: 0, unknown: 0 } satisfies Record<ValueStateName, number>;
}

/** The targets with values on a page, and the numbers of values before these targets and in total. */
function pageOf(targets: readonly Target[], skip: number, limit: number) {
  const shown: Target[] = [];
  let [before, total] = [0, 0];
  for (const target of targets) {
    const count = target.parameters.length;
    if (total + count <= skip) before += count;
    else if (total < skip + limit) shown.push(target);
    total += count;
  }
  return { shown, before, total };
}
