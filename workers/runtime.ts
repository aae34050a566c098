import { DefaultLogger, makeTelemetryFilterString, Runtime } from '@temporalio/worker';
import type { Logger } from '../shared/kernel/log.ts';

/**
 * Configures the engine's runtime for the workers of this process: it uses our log and does not handle signals.
 * @param metrics host:port of its Prometheus endpoint; no endpoint if undefined
 */
export function installRuntime(log: Logger, metrics?: string): void {
  Runtime.install({
    logger: new DefaultLogger('INFO', ({ level, message, meta }) => {
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
