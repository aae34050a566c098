import { z } from 'zod';
import type { Environment } from '../kernel/secret-files.ts';
import { kernelDefaults, kernelSettings, parseSettings } from '../kernel/settings.ts';
import { accountSettings } from './accounts/settings.ts';
import { agentSessionSettings } from './agent-sessions/settings.ts';
import { aiReviewSettings } from './ai-reviews/settings.ts';
import { artifactSettings } from './artifacts/settings.ts';
import { auditSettings } from './audit/settings.ts';
import { measuringSettings } from './backends/settings.ts';
import { chatSettings } from './chat/settings.ts';
import { chatSessionSettings } from './chat-sessions/settings.ts';
import { chipSettings } from './chips/settings.ts';
import { configurationSettings } from './configuration/settings.ts';
import { diskSpaceSettings } from './disk-space/settings.ts';
import { flowSettings } from './flows/settings.ts';
import { forumSettings } from './forum/settings.ts';
import { identityProviderDefaults, identityProviderSettings } from './identity-provider/settings.ts';
import { imageSettings } from './images/settings.ts';
import { issueSettings } from './issues/settings.ts';
import { knowledgeCaseSettings } from './knowledge-cases/settings.ts';
import { languageModelSettings } from './language-models/settings.ts';
import { menuSettings } from './menus/settings.ts';
import { projectSettings } from './projects/settings.ts';
import { runSettings } from './runs/settings.ts';
import { scheduleSettings } from './schedules/settings.ts';
import { simulatorSettings } from './simulator-settings.ts';
import { updateSettings } from './system-updates/settings.ts';
import { taskKnowledgeSettings } from './task-knowledge/settings.ts';
import { workerSettings } from './worker-settings.ts';

/**
 * All settings of the service: environment variable, meaning, default. The table in docs/settings.md is generated from these
 * descriptions (`npm run settings`).
 */
export const settingsSchema = z.object({
  ...kernelSettings,
  ...workerSettings,
  ...simulatorSettings,
  ...accountSettings,
  ...identityProviderSettings,
  ...projectSettings,
  ...chipSettings,
  ...configurationSettings,
  ...flowSettings,
  ...scheduleSettings,
  ...menuSettings,
  ...runSettings,
  ...measuringSettings,
  ...artifactSettings,
  ...diskSpaceSettings,
  ...imageSettings,
  ...issueSettings,
  ...forumSettings,
  ...chatSettings,
  ...knowledgeCaseSettings,
  ...taskKnowledgeSettings,
  ...aiReviewSettings,
  ...languageModelSettings,
  ...chatSessionSettings,
  ...agentSessionSettings,
  ...auditSettings,
  ...updateSettings,
});

type Raw = z.infer<typeof settingsSchema>;

/** The defaults that depend on other settings. */
function defaultsOf(raw: Raw) {
  return { ...kernelDefaults(raw), ...identityProviderDefaults(raw) };
}

type Defaults = ReturnType<typeof defaultsOf>;

/** Validated settings with absolute paths and all defaults. */
export type Settings = Omit<Raw, keyof Defaults> & Defaults;

/**
 * Reads all settings from environment variables, or from files named by `<name>_FILE`. An empty variable counts as unset.
 * @throws SettingsError listing every mistake, without the values (they may be secret)
 */
export function readSettings(environment: Environment): Settings {
  const raw = parseSettings(settingsSchema, environment);
  return { ...raw, ...defaultsOf(raw) };
}
