import { count, type SettingsOf } from '../../kernel/setting-kinds.ts';

/** Settings of flows. */
export const flowSettings = {
  FLOWS_PER_PROJECT: count.default(500).describe('Flows that a project may have.'),
  FLOW_VERSIONS: count
    .default(50)
    .describe('Versions of a flow that are kept though no run was made from them; the oldest go.'),
};
export type FlowSettings = SettingsOf<typeof flowSettings>;
