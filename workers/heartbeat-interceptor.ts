import type { Context } from '@temporalio/activity';
import type { ActivityInboundCallsInterceptor } from '@temporalio/worker';

/** Heartbeats per heartbeat timeout. Two may be lost before the worker counts as dead. */
const BEATS = 3;
/** Milliseconds between heartbeats of a computing flow. Their answers report that the run was cancelled. */
export const FLOW_BEAT = 1000;

/**
 * Sends heartbeats while record-keeping activities run, so that another worker takes over the work of a killed one within
 * the heartbeat timeout. Measurements are excluded, because the backend itself must send their heartbeats.
 */
export function heartbeatInterceptor(context: Context): { inbound?: ActivityInboundCallsInterceptor } {
  const timeout = context.info.heartbeatTimeoutMs;
  const { activityType } = context.info;
  if (activityType === 'measure' || !timeout) return {};
  const interval = activityType === 'advanceFlow' ? FLOW_BEAT : timeout / BEATS;
  return {
    inbound: {
      async execute(input, next) {
        const timer = setInterval(() => context.heartbeat(), interval);
        try {
          return await next(input);
        } finally {
          clearInterval(timer);
        }
      },
    },
  };
}
