import { defineArea, type Kernel } from '../../kernel/area.ts';
import type { Chips } from '../chips/index.ts';
import type { Configuration } from '../configuration/index.ts';
import type { TaskResultStore } from '../results/index.ts';
import { createCurrentValues } from './current-values.ts';
import { createMeasuredValues } from './measured-values.ts';
import { metricsFile, readMetrics } from './metrics-file.ts';
import { createReports } from './report.ts';

export type Metrics = ReturnType<typeof metrics.create>;

/** The numbers by which a chip is judged. */
export const metrics = defineArea({
  name: 'metrics',
  indexes: [],
  create({
    settings,
    configuration,
    chips,
    results,
  }: Kernel & { configuration: Pick<Configuration, 'follow'>; chips: Chips; results: TaskResultStore }) {
    /** Which metrics there are, as the configuration says since it was last reloaded. */
    const config = configuration.follow(metricsFile, () => readMetrics(settings.CONFIG_PATH));
    const measured = createMeasuredValues({ chips, results, settings: config });
    return {
      config,
      ...createCurrentValues({ chips, results, settings: config }),
      ...measured,
      ...createReports({ chips, settings: config, ofChip: measured.ofChip, timezone: settings.TIMEZONE }),
    };
  },
});
