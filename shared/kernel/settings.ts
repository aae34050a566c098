import { resolve } from 'node:path';
import { z } from 'zod';
import { apiDefaults, apiSettings } from './api-settings.ts';
import { isStrictAddress, weakeningOptions } from './database-address.ts';
import { connectionSettings, readConnection } from './engine/connection-settings.ts';
import { codecSettings } from './engine/payload-codec.ts';
import { messageOf } from './errors.ts';
import { type Environment, givenSettings, SettingsError } from './secret-files.ts';
import type { SettingsOf } from './setting-kinds.ts';

const logLevels = ['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL', 'SILENT'] as const;

function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** Settings of every process, and those of the API that are about no area. */
export const kernelSettings = {
  CALIBRON_ENV: z.string().default('local').describe('Name of the installation, shown to clients.'),
  TIMEZONE: z
    .string()
    .refine(isTimezone, 'must be an IANA time zone such as Asia/Tokyo')
    .default('Asia/Tokyo')
    .describe('Zone of calendar days and of schedules.'),
  LOG_LEVEL: z
    .string()
    .toUpperCase()
    .pipe(z.enum(logLevels))
    .default('INFO')
    .describe(`One of ${logLevels.join(', ')}.`),
  DATA_DIR: z.string().default('.data').describe('Directory of everything that npm start keeps.'),
  CALIB_DATA_PATH: z
    .string()
    .optional()
    .describe('Root of figures and raw data; default: calib_data under DATA_DIR.'),
  CONFIG_PATH: z
    .string()
    .optional()
    .describe('Directory of the configuration that clients edit; default: config under DATA_DIR.'),
  ...connectionSettings,
  ...codecSettings,
  TEMPORAL_UI_URL: z.string().default('http://localhost:8233').describe('Temporal UI, for links to runs.'),
  MONGODB_URI: z
    .string()
    .regex(/^mongodb(\+srv)?:\/\//, 'must begin with mongodb:// or mongodb+srv://')
    .refine(isStrictAddress, { error: ({ input }) => weakeningOptions(String(input)).join('; ') })
    .default('mongodb://127.0.0.1:27017')
    .describe('MongoDB-protocol server.'),
  MONGODB_DATABASE: z.string().min(1).default('calibron').describe('Database name.'),
  ...apiSettings,
};

type Raw = SettingsOf<typeof kernelSettings>;

/** Absolute paths, and the defaults that depend on other settings. @throws SettingsError */
export function kernelDefaults(raw: Raw) {
  const { connectionOptions, namespace } = connectionOf(raw);
  const dataDir = resolve(raw.DATA_DIR);
  return {
    ...apiDefaults(raw),
    DATA_DIR: dataDir,
    CALIB_DATA_PATH: raw.CALIB_DATA_PATH ? resolve(raw.CALIB_DATA_PATH) : resolve(dataDir, 'calib_data'),
    CONFIG_PATH: raw.CONFIG_PATH ? resolve(raw.CONFIG_PATH) : resolve(dataDir, 'config'),
    TEMPORAL_ADDRESS: connectionOptions.address ?? '127.0.0.1:7233',
    TEMPORAL_NAMESPACE: namespace ?? 'calibron',
  };
}

function connectionOf(raw: Raw): ReturnType<typeof readConnection> {
  try {
    return readConnection(raw);
  } catch (thrown) {
    throw new SettingsError([`The settings of the way to Temporal are wrong: ${messageOf(thrown)}.`]);
  }
}

type Defaults = ReturnType<typeof kernelDefaults>;
export type KernelSettings = Omit<Raw, keyof Defaults> & Defaults;

/**
 * Reads settings from environment variables, or from files named by `<name>_FILE`. An empty variable counts as unset.
 * @throws SettingsError listing every mistake, without the values (they may be secret)
 */
export function parseSettings<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  environment: Environment,
): SettingsOf<Shape> {
  const parsed = schema.safeParse(givenSettings(environment, Object.keys(schema.shape)));
  if (parsed.success) return parsed.data;
  throw new SettingsError(
    parsed.error.issues.map((issue) => `The setting ${issue.path.join('.')} is wrong: ${issue.message}.`),
  );
}
