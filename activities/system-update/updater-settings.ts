import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { UpdateSettings } from '../../shared/domain/system-updates/settings.ts';
import { packageRoot } from '../../shared/kernel/package-root.ts';
import type { Command } from './command.ts';

/** Settings of an updater, besides those of every process. */
export interface UpdaterSettings {
  repository: string;
  deploy: Command;
  health: Command;
  /** Null if the deploy command itself stops the services. */
  stop: Command | null;
  commandSeconds: number;
  healthSeconds: number;
  /** Seconds between requests to the remote. */
  checkSeconds: number;
  /** File with the SSH keys of allowed signers; null if tags need no signature. */
  tagSigners: string | null;
}

/** Reads the settings of an updater. @returns null and the name of the first missing setting, if any */
export function updaterSettings(
  settings: UpdateSettings,
): { updater: UpdaterSettings } | { missing: string } {
  const { UPDATE_DEPLOY_COMMAND: deploy, UPDATE_HEALTH_COMMAND: health } = settings;
  if (!deploy) return { missing: 'UPDATE_DEPLOY_COMMAND' };
  if (!health) return { missing: 'UPDATE_HEALTH_COMMAND' };
  return {
    updater: {
      repository: resolve(settings.UPDATE_REPOSITORY ?? fileURLToPath(packageRoot)),
      deploy,
      health,
      stop: settings.UPDATE_STOP_COMMAND ?? null,
      commandSeconds: settings.UPDATE_COMMAND_SECONDS,
      healthSeconds: settings.UPDATE_HEALTH_SECONDS,
      checkSeconds: settings.UPDATE_CHECK_SECONDS,
      tagSigners: settings.UPDATE_TAG_SIGNERS ? resolve(settings.UPDATE_TAG_SIGNERS) : null,
    },
  };
}
