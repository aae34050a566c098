import { DefaultLogger, makeTelemetryFilterString, Runtime } from '@temporalio/worker';
import type { Logger } from '../shared/kernel/log.ts';

/** What the engine's library logs when the code of a workflow fails, such as one that does not match the run's history. */
const FAILING_TASK = 'Failing workflow task';

export interface RuntimeOptions {
  /** host:port of the Prometheus endpoint; no endpoint if undefined. */
  metrics?: string | undefined;
  /** Called when a workflow task fails in this process. */
  onFailingTask?(): void;
}

/** Configures the engine's runtime for the workers of this process: it uses our log and does not handle signals. */
export function installRuntime(log: Logger, { metrics, onFailingTask }: RuntimeOptions = {}): void {
  Runtime.install({
    logger: new DefaultLogger('INFO', ({ level, message, meta }) => {
      if (message.startsWith(FAILING_TASK)) onFailingTask?.();
      const { error, ...rest } = meta ?? {};
      const line = { ...rest, ...(error ? { error: String(error) } : {}) };
      if (level === 'ERROR') log.error(line, message);
      else if (level === 'WARN') log.warn(line, message);
      else log.debug(line, message);
    }),
    telemetryOptions: {
      logging: { filter: makeTelemetryFilterString({ core: 'WARN' }), forward: {} },
      ...(metrics !== undefined && {
        metrics: {
          // Names and units that follow Prometheus conventions.
          prometheus: {
            bindAddress: metrics,
            countersTotalSuffix: true,
            unitSuffix: true,
            useSecondsForDurations: true,
          },
        },
      }),
    },
    shutdownSignals: [],
  });
}
