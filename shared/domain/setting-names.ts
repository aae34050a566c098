import { changesBetween, nearestName } from '../kernel/near-names.ts';
import type { Environment } from '../kernel/secret-files.ts';
import { type Settings, settingsSchema } from './settings.ts';

/** Variables with these beginnings belong to the service, so an unknown one is a mistake. */
const OWN_PREFIXES = ['CALIBRON_', 'TEMPORAL_', 'API_'];

/** Variables that something else than the settings reads: the start, the compose file, clients, Temporal's own programs. */
const READ_ELSEWHERE = [
  ...['CALIBRON_ADDRESS', 'CALIBRON_CACHE', 'CALIBRON_ENV', 'CALIBRON_GIT_TOKEN', 'CALIBRON_GIT_USER'],
  ...['CALIBRON_PASSWORD', 'CALIBRON_TOKEN', 'CALIBRON_USERNAME', 'CALIBRON_VERSION'],
  ...['MONGOD_BINARY', 'TEMPORAL_BINARY', 'TEMPORAL_CODEC_AUTH', 'TEMPORAL_CODEC_ENDPOINT', 'TEMPORAL_COLOR'],
  ...[
    'TEMPORAL_CONFIG_FILE',
    'TEMPORAL_DEBUG',
    'TEMPORAL_DEFAULT_NAMESPACE',
    'TEMPORAL_HOME',
    'TEMPORAL_PROFILE',
  ],
  ...['TEMPORAL_TRACING_FILTER', 'TEMPORAL_UI_PASSWORD', 'TEMPORAL_VERSION'],
];

/** Variables that are read elsewhere and have a part of their own choice, and those that Kubernetes sets for its services. */
const READ_ELSEWHERE_PATTERN =
  /^(?:CALIBRON_(?:TEST|SOAK)|TEMPORAL_GRPC_META)_|_SERVICE_(?:HOST|PORT)(?:_|$)|_PORT_\d+_(?:TCP|UDP)(?:_|$)/;

/** Kubernetes and Docker's links also set `<SERVICE>_PORT`, to an address. A number there was meant for us. */
function isServiceAddress(name: string, value: string): boolean {
  return name.endsWith('_PORT') && /^(?:tcp|udp|sctp):\/\//.test(value);
}

/** Names that users try for a part of an address, and the setting with the whole address. */
const PARTS_OF_ADDRESSES = new Map([
  ...['TEMPORAL_HOST', 'TEMPORAL_PORT'].map((name) => [name, 'TEMPORAL_ADDRESS'] as const),
  ...['TEMPORAL_UI_HOST', 'TEMPORAL_UI_PORT'].map((name) => [name, 'TEMPORAL_UI_URL'] as const),
  ...['MONGODB_HOST', 'MONGODB_PORT', 'MONGODB_USER'].map((name) => [name, 'MONGODB_URI'] as const),
]);

/** Shorter names are too much alike for a misspelling to be recognised. */
const MIN_LENGTH = 8;
/** Changes of a letter by which a name is taken for a misspelt setting although it has none of our beginnings. */
const MAX_CHANGES = 2;

function isAboutAsLong(setting: string, name: string): boolean {
  return Math.abs(setting.length - name.length) <= MAX_CHANGES;
}

/**
 * A message for each environment variable that looks like a setting and is none, with the nearest name. Values are not shown.
 */
export function unknownSettingMessages(
  environment: Environment,
  { AI_ENDPOINTS }: Pick<Settings, 'AI_ENDPOINTS'>,
): string[] {
  const settings = Object.keys(settingsSchema.shape);
  const names = [...settings, ...READ_ELSEWHERE];
  const keys = AI_ENDPOINTS.flatMap(({ keyVariable }) => keyVariable ?? []);
  const known = new Set([...names, ...keys, ...settings.map((name) => `${name}_FILE`)]);
  return Object.entries(environment).flatMap(([name, value]) => {
    if (!value || known.has(name) || READ_ELSEWHERE_PATTERN.test(name)) return [];
    if (isServiceAddress(name, value)) return [];
    const whole = PARTS_OF_ADDRESSES.get(name);
    if (whole !== undefined) {
      const part = name.slice(name.lastIndexOf('_') + 1).toLowerCase();
      return [`${name} is not a setting, so it has no effect. Set ${whole}, which includes the ${part}.`];
    }
    const isOwn = OWN_PREFIXES.some((prefix) => name.startsWith(prefix));
    if (!isOwn && name.length < MIN_LENGTH) return [];
    // Comparing letter by letter with all would cost each start of a process 0.15 s.
    const comparable = isOwn ? [...known] : [...known].filter((each) => isAboutAsLong(each, name));
    const nearest = nearestName(name, comparable);
    if (!isOwn && (nearest === undefined || changesBetween(name, nearest) > MAX_CHANGES)) return [];
    const remedy =
      nearest === undefined ? 'docs/settings.md lists all.' : `The nearest setting is ${nearest}.`;
    return [`${name} is not a setting, so it has no effect. ${remedy}`];
  });
}
