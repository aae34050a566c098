import { z } from 'zod';
import { flowCommand, flowEntry, jsonValue } from '../../shared/domain/flows/model.ts';
import { FLOW_LIMITS } from '../../shared/domain/flows/rules.ts';

const line = z.number().int().nonnegative();
/** All decisions, messages and values, and a message with the number of omitted ones. */
const entries = z
  .array(flowEntry)
  .max(FLOW_LIMITS.decisions + FLOW_LIMITS.messages + FLOW_LIMITS.records + 1);

/**
 * State of a flow when its isolate has no more jobs to run. The host validates it, because the flow's code may have modified
 * the built-in objects used to create it.
 */
export const outcome = z.discriminatedUnion('state', [
  z.object({ state: z.literal('command'), index: z.number(), line, command: flowCommand, entries }),
  z.object({
    state: z.literal('end'),
    line,
    value: jsonValue,
    message: z.string().max(FLOW_LIMITS.messageCharacters).optional(),
    entries,
  }),
  z.object({
    state: z.literal('failed'),
    reason: z.enum(['thrown', 'commands', 'stuck', 'command']),
    line,
    message: z.string(),
    entries,
  }),
]);
export type Outcome = z.infer<typeof outcome>;

export const recentEntries = entries;

/** Text and line of an error that QuickJS reports. */
export const explanation = z.object({ line, message: z.string() });
