import { defineArea, type Kernel } from '../../kernel/area.ts';
import type { ProjectId } from '../../kernel/ids.ts';
import type { Backends } from '../backends/index.ts';
import type { Chips } from '../chips/index.ts';
import type { Configuration } from '../configuration/index.ts';
import type { ProvenanceStore } from '../provenance/index.ts';
import type { TaskResultStore } from '../results/index.ts';
import { createCurrentValues } from './current-values.ts';
import { insightsOf } from './insight-rules.ts';
import { createMeasuredValues } from './measured-values.ts';
import { metricsFile } from './metrics-file.ts';
import type { Insights } from './model.ts';
import { createTotals, metricTotalsIndexes } from './totals.ts';

export type Metrics = ReturnType<typeof metrics.create>;

/** Metrics by which a chip is judged. */
export const metrics = defineArea({
  name: 'metrics',
  indexes: [metricTotalsIndexes],
  create({
    db,
    settings,
    configuration,
    chips,
    results,
    provenance,
    backends,
  }: Kernel & {
    configuration: Pick<Configuration, 'follow'>;
    chips: Chips;
    results: TaskResultStore;
    provenance: ProvenanceStore;
    backends: Pick<Backends, 'tasksOf'>;
  }) {
    /** The configured metrics, as of the last reload. */
    const config = configuration.follow(metricsFile, () => metricsFile.read(settings.CONFIG_PATH));
    const measured = createMeasuredValues({
      chips,
      results,
      totals: createTotals(db, results),
      settings: config,
    });
    return {
      config,
      ...createCurrentValues({ chips, results, provenance, settings: config }),
      ...measured,
      /** Points of attention in the newest results of a chip's qubits. @throws not_found */
      async insights(projectId: ProjectId, chipId: string): Promise<Insights> {
        await chips.mustGet(projectId, chipId);
        const { all } = await backends.tasksOf(projectId);
        const names = all.filter(({ taskType }) => taskType === 'qubit').map(({ name }) => name);
        const newest = await results.latestOfTasks(projectId, chipId, names);
        return { chip_id: chipId, ...insightsOf([...newest.values()]) };
      },
      /** The metrics of a chip as a PDF. Selects and throws as `ofChip`. */
      async report(...asked: Parameters<typeof measured.ofChip>) {
        // Loading the drawing library takes 0.3 s of processor time. Programs that print no report start without it.
        const { createReports } = await import('./report.ts');
        const { ofChip } = measured;
        return createReports({ chips, settings: config, ofChip, timezone: settings.TIMEZONE }).report(
          ...asked,
        );
      },
    };
  },
});
