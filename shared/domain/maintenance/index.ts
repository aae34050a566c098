import { defineArea, type Kernel } from '../../kernel/area.ts';
import type { ExecutionId, ProjectId } from '../../kernel/ids.ts';
import type { Tolerance } from '../../tasks/check-model.ts';
import type { Backends } from '../backends/index.ts';
import type { Chips } from '../chips/index.ts';
import type { Configuration } from '../configuration/index.ts';
import type { ProvenanceStore } from '../provenance/index.ts';
import type { TaskResultStore } from '../results/index.ts';
import { createDecisionStore, decisionIndexes } from './decision-store.ts';
import { graphAsDot, graphAsSvg } from './graph-drawing.ts';
import { createGraphs } from './graphs.ts';
import { createKnownTargets, newestChecks } from './known-targets.ts';
import { createMaintained } from './maintained.ts';
import type { MaintenanceDecisionList, MaintenanceDecisionQuery, MaintenanceGraphShown } from './model.ts';
import type { EndedCheck } from './state-rules.ts';
import { createStates } from './states.ts';
import { tolerancesOf } from './window-rules.ts';
import { windowsFile } from './windows-file.ts';
import { decisionShown, graphShown } from './wire.ts';

export { windowsFile } from './windows-file.ts';

export type Maintenance = ReturnType<typeof maintenance.create>;

/** Which values of a chip depend on which, and which of them still hold. */
export const maintenance = defineArea({
  name: 'maintenance',
  indexes: [decisionIndexes],
  create({
    db,
    settings,
    backends,
    configuration,
    chips,
    results,
    provenance,
  }: Kernel & {
    backends: Pick<Backends, 'tasksOf'>;
    configuration: Pick<Configuration, 'follow'>;
    chips: Chips;
    results: TaskResultStore;
    provenance: ProvenanceStore;
  }) {
    const graphOf = createGraphs(backends);
    /** How long values hold, as of the last reload. */
    const windows = configuration.follow(windowsFile, () => windowsFile.read(settings.CONFIG_PATH));
    const now = () => new Date();
    const knownParts = createKnownTargets({ provenance, results, now });
    const decisions = createDecisionStore(db);
    const judging = { chips, knownParts, graphOf, settings: windows, now };
    return {
      ...createStates(judging),
      ...createMaintained(judging),

      /** What the newest check of a task by one of these executions found, by target. @throws not_found */
      async checkedBy(
        projectId: ProjectId,
        chipId: string,
        of: { targets: readonly string[]; task: string; executions: readonly ExecutionId[] },
      ): Promise<Record<string, EndedCheck>> {
        return newestChecks(results, await chips.mustGet(projectId, chipId), of);
      },

      /** Keeps decisions of runs that maintain their chip, each once. */
      addDecisions: decisions.add,

      /** A page of the decisions of a run, in order. */
      async decisions(
        run: { project_id: ProjectId; execution_id: ExecutionId },
        query: MaintenanceDecisionQuery,
      ): Promise<MaintenanceDecisionList> {
        const { items, total } = await decisions.ofExecution(run, query);
        return { items: items.map(decisionShown), total, skip: query.skip, limit: query.limit };
      },

      /** How far values may be off, by parameter, as the configuration has it. */
      async tolerances(): Promise<Record<string, Tolerance>> {
        return tolerancesOf(await windows());
      },

      /** What depends on what on a chip. @throws not_found */
      async graph(projectId: ProjectId, chipId: string): Promise<MaintenanceGraphShown> {
        const chip = await chips.mustGet(projectId, chipId);
        return graphShown(chip, (await graphOf(projectId)).graph);
      },

      /** The same in the language of Graphviz, or as a picture. @throws not_found */
      async drawnGraph(projectId: ProjectId, chipId: string, as: 'dot' | 'svg'): Promise<string> {
        await chips.mustGet(projectId, chipId);
        const { graph } = await graphOf(projectId);
        return as === 'dot' ? graphAsDot(graph) : graphAsSvg(graph);
      },
    };
  },
});
