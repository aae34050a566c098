import { isIP, isIPv6 } from 'node:net';
import { z } from 'zod';
import { consoleSettings } from './console-settings.ts';
import { publicUrl } from './public-url.ts';
import { commaSeparated, count, number, port, type SettingsOf } from './setting-kinds.ts';

/** Where the web client is on a machine of one's own. */
const LOCAL_CLIENT = 'http://localhost:5714';

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

/** Settings of the API, besides those of the areas. */
export const apiSettings = {
  API_HOST: z.string().default('127.0.0.1').describe('Address that the API listens on.'),
  API_PORT: port.default(5715).describe('Port of the API; 0 takes a free one.'),
  API_DRAIN: number
    .min(0, 'must not be negative')
    .default(1)
    .describe(
      'Seconds for which a stopping API still serves, so that clients and proxies can move elsewhere.',
    ),
  PUBLIC_URL: publicUrl,
  CLIENT_URL: z
    .string()
    .optional()
    .describe(
      'Where the web client is, for links; default: console/ under PUBLIC_URL; without it the console on this machine, or http://localhost:5714 with CONSOLE=off.',
    ),
  ...consoleSettings,
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
    .transform(commaSeparated)
    .describe('Addresses of the reverse proxies whose X-Forwarded-For is believed, comma-separated.'),
  RATE_LIMIT_TOKEN: count.default(6000).describe('Requests a minute that one access token may make.'),
  RATE_LIMIT_USER: count
    .default(12_000)
    .describe('Requests a minute that one user may make, all tokens together.'),
  RATE_LIMIT_ADDRESS: count
    .default(600)
    .describe('Requests a minute without a token that may come from one address.'),
  EVENT_STREAMS_PER_USER: count
    .default(50)
    .describe('Streams of events that one user may have open at a time.'),
};

type Raw = SettingsOf<typeof apiSettings>;

/** The defaults that depend on other settings. */
export function apiDefaults(raw: Raw) {
  const { CLIENT_URL, PUBLIC_URL, API_CORS_ORIGINS } = raw;
  return {
    CLIENT_URL: CLIENT_URL ?? defaultClient(raw),
    API_CORS_ORIGINS: commaSeparated(API_CORS_ORIGINS ?? CLIENT_URL ?? PUBLIC_URL ?? LOCAL_CLIENT)
      .filter((each) => URL.canParse(each))
      .map((each) => new URL(each).origin),
  };
}

/** Default address of the web client. */
function defaultClient({ CONSOLE, PUBLIC_URL, API_PORT }: Raw): string {
  if (PUBLIC_URL !== undefined) return `${PUBLIC_URL}/console/`;
  return CONSOLE === 'on' ? `http://localhost:${API_PORT}/console/` : LOCAL_CLIENT;
}
