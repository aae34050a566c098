import type { Context } from '@temporalio/activity';
import type { ActivityInboundCallsInterceptor } from '@temporalio/worker';

/** Heartbeats in each heartbeat time-out; two may be lost without the worker counting as dead. */
const BEATS = 3;
/** Milliseconds between those of a flow that computes: with the answer comes the news that its run is cancelled. */
export const FLOW_BEAT = 1000;

/**
 * Lets activities that keep records show a sign of life while they work, so that a killed worker's work is
 * taken over within the heartbeat time-out. What measures is left out: there the backend itself must show one.
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
