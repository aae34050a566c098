import { DefaultLogger, makeTelemetryFilterString, Runtime } from '@temporalio/worker';
import type { Logger } from '../shared/kernel/log.ts';

/**
 * Prepares the engine's runtime for the workers of this process: it logs as we do, and leaves signals to us.
 * @param metrics host:port at which it shows its metrics to Prometheus; nowhere unless given
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
          // Names and units as Prometheus wants them.
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
