import { count, type SettingsOf } from '../../kernel/setting-kinds.ts';

/** Settings of flows. */
export const flowSettings = {
  FLOWS_PER_PROJECT: count.default(500).describe('Flows that a project may have.'),
  FLOW_VERSIONS: count
    .default(50)
    .describe('Versions of a flow that are kept although no run used them; the oldest are deleted first.'),
};
export type FlowSettings = SettingsOf<typeof flowSettings>;
