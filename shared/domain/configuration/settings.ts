import { z } from 'zod';
import { count, type SettingsOf } from '../../kernel/setting-kinds.ts';

/** Rejects URLs with credentials: URLs are shown by programs and logs. Credentials have their own settings. */
function isRepositoryUrl(address: string): boolean {
  if (/^[\w.-]+@[\w.-]+:[^\s:]+$/.test(address)) return true;
  if (!URL.canParse(address)) return false;
  const { protocol, username, password } = new URL(address);
  return protocol === 'https:'
    ? username === '' && password === ''
    : /^(ssh|file):$/.test(protocol) && password === '';
}

/** Settings of the configuration files and their repository. */
export const configurationSettings = {
  CONFIG_WRITE: z
    .enum(['user', 'admin'])
    .default('user')
    .describe('Who may change the configuration: every user, or administrators only (admin).'),
  CONFIG_REPO_URL: z
    .string()
    .refine(isRepositoryUrl, 'must be https://, ssh://, file:// or user@host:path, without a password')
    .optional()
    .describe('Git repository that the configuration is pulled from and pushed to.'),
  CONFIG_REPO_USER: z.string().default('git').describe('Username for an https:// configuration repository.'),
  CONFIG_REPO_TOKEN: z.string().optional().describe('Password or token for it.'),
  CONFIGURATION_FILES: count.default(5000).describe('Files that the configuration may have.'),
  CONFIGURATION_MIB: count
    .default(100)
    .describe('MiB that the files of the configuration may have together.'),
};
export type ConfigurationSettings = SettingsOf<typeof configurationSettings>;
