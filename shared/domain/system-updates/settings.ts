import { z } from 'zod';
import { number, type SettingsOf, seconds } from '../../kernel/setting-kinds.ts';

/** A command as a JSON list. No shell is involved, so no quoting is needed. */
const command = z
  .string()
  .transform((text, context) => {
    try {
      return JSON.parse(text);
    } catch {
      context.addIssue({ code: 'custom', message: 'must be JSON such as ["docker", "compose", "up"]' });
      return z.NEVER;
    }
  })
  .pipe(
    z
      .array(
        z.string().min(1, 'must have no empty part'),
        'must be a list such as ["docker", "compose", "up"]',
      )
      .min(1, 'must name a program'),
  );

/** Settings of system updates. */
export const updateSettings = {
  SYSTEM_UPDATES: z
    .enum(['on', 'off'])
    .default('off')
    .describe('on: administrators may update the installation, which an updater process does.'),
  UPDATE_REPOSITORY: z
    .string()
    .optional()
    .describe(
      'Git working tree that the updater brings from version to version; default: that of the program.',
    ),
  UPDATE_DEPLOY_COMMAND: command
    .optional()
    .describe(
      'Command that builds and starts what the working tree holds, as a JSON list; run without a shell.',
    ),
  UPDATE_HEALTH_COMMAND: command
    .optional()
    .describe('Command that succeeds once the deployed version is healthy, as a JSON list.'),
  UPDATE_STOP_COMMAND: command
    .optional()
    .describe(
      'Command that stops the services before the files change, as a JSON list; unset: the deploy command does.',
    ),
  UPDATE_TAG_SIGNERS: z
    .string()
    .optional()
    .describe(
      'File of SSH keys in the form of allowed signers (ssh-keygen); with it, only versions whose tag one of them has signed are installed.',
    ),
  UPDATE_CHECK_SECONDS: number
    .min(0, 'must not be negative')
    .default(60)
    .describe("Seconds for which the remote's list of versions is cached."),
  UPDATE_COMMAND_SECONDS: seconds
    .default(1800)
    .describe('Seconds after which a stop or deploy command counts as failed.'),
  UPDATE_HEALTH_SECONDS: seconds
    .default(120)
    .describe('Seconds within which the deployed version must become healthy.'),
};
export type UpdateSettings = SettingsOf<typeof updateSettings>;
