import { existsSync } from 'node:fs';
import { type ClientConnectConfig, loadClientConnectConfig } from '@temporalio/envconfig';
import { z } from 'zod';

const file = z.string().refine((path) => existsSync(path), 'is not the path of an existing file');

/** Settings of the connection to the engine. Names and meaning are those of Temporal's own programs. */
export const connectionSettings = {
  TEMPORAL_ADDRESS: z
    .string()
    .optional()
    .describe('host:port of the Temporal server; default: that of the profile, else 127.0.0.1:7233.'),
  TEMPORAL_NAMESPACE: z
    .string()
    .min(1)
    .optional()
    .describe('Temporal namespace; default: that of the profile, else calibron.'),
  TEMPORAL_PROFILE: z
    .string()
    .optional()
    .describe('Profile of TEMPORAL_CONFIG_FILE, default: default. Settings here override it.'),
  TEMPORAL_CONFIG_FILE: file
    .optional()
    .describe("Temporal's configuration file (TOML), as its own programs read it."),
  TEMPORAL_API_KEY: z.string().optional().describe('API key of Temporal Cloud; turns TLS on.'),
  TEMPORAL_TLS: z
    .enum(['true', 'false', '1', '0'])
    .optional()
    .describe('true: TLS to the Temporal server. Any other TLS setting turns it on, too.'),
  TEMPORAL_TLS_CLIENT_CERT_PATH: file
    .optional()
    .describe('Client certificate (PEM), if the Temporal server requires one.'),
  TEMPORAL_TLS_CLIENT_CERT_DATA: z
    .string()
    .optional()
    .describe('The certificate itself, in place of a path.'),
  TEMPORAL_TLS_CLIENT_KEY_PATH: file.optional().describe('Private key of the client certificate (PEM).'),
  TEMPORAL_TLS_CLIENT_KEY_DATA: z.string().optional().describe('The key itself, in place of a path.'),
  TEMPORAL_TLS_SERVER_CA_CERT_PATH: file
    .optional()
    .describe("CA certificate (PEM) of the server's certificate, if the machine does not trust it already."),
  TEMPORAL_TLS_SERVER_CA_CERT_DATA: z
    .string()
    .optional()
    .describe('The CA certificate itself, in place of a path.'),
  TEMPORAL_TLS_SERVER_NAME: z
    .string()
    .optional()
    .describe("Name in the server's certificate, if it is not that of the address."),
};

const connectionSchema = z.object(connectionSettings);
export type ConnectionSettings = z.infer<typeof connectionSchema>;

/** Settings for authentication and encryption. They belong to one server. */
export const credentialSettings = Object.keys(connectionSettings).filter(
  (name) => name !== 'TEMPORAL_ADDRESS' && name !== 'TEMPORAL_NAMESPACE',
);

/**
 * Connection to the engine: explicit settings take precedence over the profile. The user's own configuration file is read
 * only if a setting names it, because it may point to another cluster.
 * @throws if a profile, a certificate or a key cannot be read
 */
export function readConnection(settings: ConnectionSettings): ClientConnectConfig {
  const {
    TEMPORAL_CONFIG_FILE: path,
    TEMPORAL_PROFILE: profile,
    ...given
  } = connectionSchema.parse(settings);
  if (profile !== undefined && path === undefined)
    throw new Error('TEMPORAL_PROFILE needs TEMPORAL_CONFIG_FILE');
  return loadClientConnectConfig({
    ...(path === undefined ? { disableFile: true } : { configSource: { path } }),
    ...(profile === undefined ? {} : { profile }),
    overrideEnvVars: Object.fromEntries(
      Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    ),
  });
}
