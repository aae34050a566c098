import { isIP, isIPv6 } from 'node:net';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { accountSettings } from './account-settings.ts';
import { consoleSettings } from './console-settings.ts';
import { passwordProblem, usernamePattern } from './credentials.ts';
import { isStrictAddress, weakeningOptions } from './database-address.ts';
import { discussionSettings } from './discussion-settings.ts';
import { connectionSettings, readConnection } from './engine/connection-settings.ts';
import { codecSettings } from './engine/payload-codec.ts';
import { messageOf } from './errors.ts';
import { identitySettings } from './identity-settings.ts';
import { knowledgeSettings } from './knowledge-settings.ts';
import { packageRoot } from './package-root.ts';
import { publicUrl } from './public-url.ts';
import { type Environment, givenSettings, SettingsError } from './secret-files.ts';
import { count, number, port, seconds } from './setting-kinds.ts';
import { simulatorSettings } from './simulator-settings.ts';
import { updateSettings } from './update-settings.ts';
import { workerSettings } from './worker-settings.ts';

export { SettingsError } from './secret-files.ts';

/** Where the web client is on a machine of one's own. */
const LOCAL_CLIENT = 'http://localhost:5714';

const logLevels = ['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL', 'SILENT'] as const;

/** Items of a comma-separated setting. */
function commaSeparated(text: string | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

function areOrigins(text: string): boolean {
  return commaSeparated(text).every((each) => URL.canParse(each) && /^https?:$/.test(new URL(each).protocol));
}

function areAddresses(text: string): boolean {
  return commaSeparated(text).every((each) => {
    const [address = '', bits, ...more] = each.split('/');
    const width = isIPv6(address) ? 128 : 32;
    return isIP(address) !== 0 && more.length === 0 && (bits === undefined || isBits(bits, width));
  });
}

function isBits(text: string, most: number): boolean {
  return /^\d{1,3}$/.test(text) && Number(text) <= most;
}

/** `<address>` or `<address> <variable>`, comma-separated. */
function aiEndpointsOf(text: string | undefined): Settings['AI_ENDPOINTS'] {
  return commaSeparated(text).map((each) => {
    const [url = '', keyVariable = null] = each.split(/\s+/);
    return { url, keyVariable };
  });
}

function areAiEndpoints(text: string): boolean {
  return commaSeparated(text).every((each) => {
    const [url = '', variable = 'NONE', ...more] = each.split(/\s+/);
    if (!URL.canParse(url) || more.length > 0 || !/^[A-Z][A-Z0-9_]*$/.test(variable)) return false;
    const { protocol, username, password } = new URL(url);
    return /^https?:$/.test(protocol) && username === '' && password === '';
  });
}

function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** Rejects URLs with credentials: URLs are shown by programs and logs. Credentials have their own settings. */
function isRepositoryUrl(address: string): boolean {
  if (/^[\w.-]+@[\w.-]+:[^\s:]+$/.test(address)) return true;
  if (!URL.canParse(address)) return false;
  const { protocol, username, password } = new URL(address);
  return protocol === 'https:'
    ? username === '' && password === ''
    : /^(ssh|file):$/.test(protocol) && password === '';
}

/**
 * All settings of the service: environment variable, meaning, default. The table in docs/settings.md is generated from these
 * descriptions (`npm run settings`).
 */
export const settingsSchema = z.object({
  CALIBRON_ENV: z.string().default('local').describe('Name of the installation, shown to clients.'),
  API_HOST: z.string().default('127.0.0.1').describe('Address that the API listens on.'),
  API_PORT: port.default(5715).describe('Port of the API; 0 takes a free one.'),
  API_DRAIN: number
    .min(0, 'must not be negative')
    .default(1)
    .describe('Seconds that a stopping API goes on serving, so that clients and proxies go elsewhere.'),
  PUBLIC_URL: publicUrl,
  CLIENT_URL: z
    .string()
    .optional()
    .describe(
      'Where the web client is, for links; default: console/ under PUBLIC_URL; without it the console on this machine, or http://localhost:5714 with CONSOLE=off.',
    ),
  ...consoleSettings,
  DATA_DIR: z.string().default('.data').describe('Directory of everything that npm start keeps.'),
  CALIB_DATA_PATH: z
    .string()
    .optional()
    .describe('Root of figures and raw data; default: calib_data under DATA_DIR.'),
  ARTIFACT_ACCESS: z
    .enum(['open', 'token'])
    .default('open')
    .describe('token: figures, raw data and configuration are read with an access token only.'),
  CONFIG_PATH: z
    .string()
    .optional()
    .describe('Directory of the configuration that clients edit; default: config under DATA_DIR.'),
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
  ...knowledgeSettings,
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
  ADMIN_USERNAME: z
    .string()
    .regex(usernamePattern, 'must be 3 to 64 of a-z, 0-9, _, -, .')
    .default('admin')
    .describe('First administrator, created when there is no user yet.'),
  ADMIN_PASSWORD: z
    .string()
    .refine(
      (password) => passwordProblem(password) === null,
      'must have at least 8 characters and at most 72 bytes',
    )
    .optional()
    .describe('Password of the first administrator; generated and shown once when unset.'),
  TOKEN_SECRET: z
    .string()
    .min(32, 'must have at least 32 characters')
    .optional()
    .describe('Key that signs access tokens; kept in DATA_DIR when unset. Set it where several APIs run.'),
  TOKEN_IDLE: seconds
    .default(43200)
    .describe('Seconds that an access token may lie unused; in use it stays valid.'),
  TOKEN_LIFETIME: seconds
    .default(2_592_000)
    .describe('Seconds after which an access token ends, used or not.'),
  ...accountSettings,
  ...identitySettings,
  ENFORCE_PASSWORD_CHANGE: z
    .enum(['true', 'false'])
    .default('false')
    .describe('true: a temporary password must be changed before anything else.'),
  LEGACY_AUTH: z
    .enum(['token', 'header'])
    .default('token')
    .describe(
      'header: under /api the header X-Username alone names the user, without a token. Only for a closed network.',
    ),
  API_CORS_ORIGINS: z
    .string()
    .refine(areOrigins, 'must be addresses such as https://host:port, comma-separated')
    .optional()
    .describe('Web pages that may call the API, comma-separated; default: CLIENT_URL.'),
  TRUSTED_PROXIES: z
    .string()
    .refine(
      areAddresses,
      'must be addresses such as 10.0.0.7 or networks such as 10.0.0.0/24, comma-separated',
    )
    .optional()
    .describe('Addresses of the reverse proxies whose X-Forwarded-For is believed, comma-separated.'),
  RATE_LIMIT_TOKEN: count.default(6000).describe('Requests a minute that one access token may make.'),
  RATE_LIMIT_USER: count
    .default(12_000)
    .describe('Requests a minute that one user may make, all tokens together.'),
  RATE_LIMIT_ADDRESS: count
    .default(600)
    .describe('Requests a minute without a token that may come from one address.'),
  PROJECTS_PER_USER: count.default(100).describe('Projects that a user may own.'),
  CHIPS_PER_PROJECT: count.default(100).describe('Chips that a project may have.'),
  CONFIGURATION_FILES: count.default(5000).describe('Files that the configuration may have.'),
  CONFIGURATION_MIB: count
    .default(100)
    .describe('MiB that the files of the configuration may have together.'),
  FLOWS_PER_PROJECT: count.default(500).describe('Flows that a project may have.'),
  FLOW_VERSIONS: count
    .default(50)
    .describe('Versions of a flow that are kept though no run was made from them; the oldest go.'),
  AGENT_SESSIONS_PER_PROJECT: count
    .default(100)
    .describe('Sessions of agents that a project may have open at a time.'),
  AGENT_ENTRIES_PER_SESSION: count
    .default(20_000)
    .describe('Actions, rejected ones too, and commits that a session of an agent may have.'),
  SCHEDULES_PER_PROJECT: count.default(500).describe('Schedules that a project may have.'),
  ISSUES_PER_RESULT: count.default(200).describe('Issues that a task result may have.'),
  REPLIES_PER_ISSUE: count
    .max(500, 'must be 1 to 500')
    .default(500)
    .describe('Replies that an issue may have.'),
  MENUS_PER_PROJECT: count.default(500).describe('Menus of the earlier interface that a project may have.'),
  AI_REVIEW_RUNS_PER_PROJECT: count.default(20_000).describe('Runs of reviews that a project may have.'),
  ...discussionSettings,
  KNOWLEDGE_CASES_PER_PROJECT: count.default(5000).describe('Knowledge cases that a project may have.'),
  CHAT_SESSIONS_PER_USER: count.default(500).describe('Chat sessions that a user may keep.'),
  AUDIT_DAYS: count.default(365).describe('Days for which entries of the audit trail are kept.'),
  EVENT_STREAMS_PER_USER: count
    .default(50)
    .describe('Streams of events that one user may have open at a time.'),
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
  AI_ENDPOINTS: z
    .string()
    .refine(
      areAiEndpoints,
      'must be addresses such as https://host/v1, each with the name of the environment variable of its key behind it if it has one, comma-separated',
    )
    .optional()
    .describe(
      'Addresses at which language models may be asked, comma-separated, each with the name of the environment variable that holds its key: `https://host/v1 HOST_KEY, http://gpu:11434/v1`. OpenAI, Anthropic and a local Ollama are known.',
    ),
  DEFAULT_BACKEND: z.string().min(1).default('simulator').describe('Backend of runs that name none.'),
  ...workerSettings,
  ...updateSettings,
  ...simulatorSettings,
});

type RawSettings = z.infer<typeof settingsSchema>;

/** Validated settings with absolute paths and with the defaults that depend on other settings. */
export interface Settings
  extends Omit<
    RawSettings,
    | 'AI_ENDPOINTS'
    | 'API_CORS_ORIGINS'
    | 'CALIB_DATA_PATH'
    | 'CLIENT_URL'
    | 'CONFIG_PATH'
    | 'ENFORCE_PASSWORD_CHANGE'
    | 'TEMPORAL_ADDRESS'
    | 'TEMPORAL_NAMESPACE'
    | 'TRUSTED_PROXIES'
    | 'UPDATE_REPOSITORY'
    | 'WORKER_QUEUES'
  > {
  AI_ENDPOINTS: { url: string; keyVariable: string | null }[];
  API_CORS_ORIGINS: string[];
  TRUSTED_PROXIES: string[];
  CALIB_DATA_PATH: string;
  CLIENT_URL: string;
  CONFIG_PATH: string;
  ENFORCE_PASSWORD_CHANGE: boolean;
  TEMPORAL_ADDRESS: string;
  TEMPORAL_NAMESPACE: string;
  UPDATE_REPOSITORY: string;
  WORKER_QUEUES: string[];
}

/**
 * Reads the settings from environment variables, or from files named by `<name>_FILE`. An empty variable counts as unset.
 * @throws SettingsError listing every mistake, without the values (they may be secret)
 */
export function readSettings(environment: Environment): Settings {
  const given = givenSettings(environment, Object.keys(settingsSchema.shape));
  const parsed = settingsSchema.safeParse(given);
  if (!parsed.success) {
    throw new SettingsError(
      parsed.error.issues.map((issue) => `The setting ${issue.path.join('.')} is wrong: ${issue.message}.`),
    );
  }
  const raw = parsed.data;
  const provider = [raw.OIDC_ISSUER, raw.OIDC_CLIENT_ID, raw.OIDC_CLIENT_SECRET];
  const redirectUri =
    raw.OIDC_REDIRECT_URI ?? (raw.OIDC_ISSUER && raw.PUBLIC_URL && `${raw.PUBLIC_URL}/auth/oidc/callback`);
  const parts = [...provider, redirectUri];
  if (parts.includes(undefined) && parts.some((each) => each !== undefined)) {
    throw new SettingsError([
      'An identity provider needs OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET and OIDC_REDIRECT_URI or PUBLIC_URL; set all or none.',
    ]);
  }
  const { connectionOptions, namespace } = connectionOf(raw);
  const dataDir = resolve(raw.DATA_DIR);
  return {
    ...raw,
    DATA_DIR: dataDir,
    CLIENT_URL: raw.CLIENT_URL ?? defaultClient(raw),
    OIDC_REDIRECT_URI: redirectUri,
    CALIB_DATA_PATH: raw.CALIB_DATA_PATH ? resolve(raw.CALIB_DATA_PATH) : resolve(dataDir, 'calib_data'),
    CONFIG_PATH: raw.CONFIG_PATH ? resolve(raw.CONFIG_PATH) : resolve(dataDir, 'config'),
    ENFORCE_PASSWORD_CHANGE: raw.ENFORCE_PASSWORD_CHANGE === 'true',
    AI_ENDPOINTS: aiEndpointsOf(raw.AI_ENDPOINTS),
    API_CORS_ORIGINS: commaSeparated(raw.API_CORS_ORIGINS ?? raw.CLIENT_URL ?? raw.PUBLIC_URL ?? LOCAL_CLIENT)
      .filter((each) => URL.canParse(each))
      .map((each) => new URL(each).origin),
    TEMPORAL_ADDRESS: connectionOptions.address ?? '127.0.0.1:7233',
    TEMPORAL_NAMESPACE: namespace ?? 'calibron',
    TRUSTED_PROXIES: commaSeparated(raw.TRUSTED_PROXIES),
    UPDATE_REPOSITORY: raw.UPDATE_REPOSITORY ? resolve(raw.UPDATE_REPOSITORY) : fileURLToPath(packageRoot),
    WORKER_QUEUES: commaSeparated(raw.WORKER_QUEUES),
  };
}

/** Where the web client is if the setting does not say so. */
function defaultClient({ CONSOLE, PUBLIC_URL, API_PORT }: RawSettings): string {
  if (PUBLIC_URL !== undefined) return `${PUBLIC_URL}/console/`;
  return CONSOLE === 'on' ? `http://localhost:${API_PORT}/console/` : LOCAL_CLIENT;
}

function connectionOf(raw: RawSettings): ReturnType<typeof readConnection> {
  try {
    return readConnection(raw);
  } catch (thrown) {
    throw new SettingsError([`The settings of the way to Temporal are wrong: ${messageOf(thrown)}.`]);
  }
}
