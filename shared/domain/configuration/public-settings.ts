import { z } from 'zod';
import type { Settings } from '../../kernel/config.ts';

/** A port, or the default of the server that it belongs to. */
const port = (usual: number) => z.number().int().default(usual);

/**
 * GET /settings. The names are those of an installation with an orchestrator over SQL and a document
 * store; what Calibron's has not, or does not know, is empty or has the documented default.
 */
export const publicSettings = z
  .object({
    env: z.string(),
    client_url: z.string(),
    api_cors_origins: z.array(z.string()),
    orchestrator_api_url: z.string().describe('Address of the Temporal server.'),
    chat_channel_id: z.string(),
    sqldb_data_path: z.string().describe('Empty: the Temporal server looks after its own data.'),
    docdb_data_path: z.string().describe('Empty: the document store looks after its own data.'),
    calib_data_path: z.string(),
    docdb_name: z.string(),
    docdb_port: port(27017),
    docdb_express_port: port(8081),
    sqldb_port: port(5432),
    orchestrator_port: port(4200),
    api_port: port(5715),
    ui_port: port(5714),
    log_level: z.string(),
    timezone: z.string(),
  })
  .meta({ id: 'Settings' });

/** The settings that clients may see: each named here, so that a new secret cannot come along. */
export function publicSettingsOf(settings: Settings): z.infer<typeof publicSettings> {
  return publicSettings.parse({
    env: settings.CALIBRON_ENV,
    client_url: settings.CLIENT_URL,
    api_cors_origins: settings.API_CORS_ORIGINS,
    orchestrator_api_url: settings.TEMPORAL_ADDRESS,
    chat_channel_id: '',
    sqldb_data_path: '',
    docdb_data_path: '',
    calib_data_path: settings.CALIB_DATA_PATH,
    docdb_name: settings.MONGODB_DATABASE,
    docdb_port: portIn(settings.MONGODB_URI.replace(/^[^/]*\/\/([^@/]*@)?/, '').split(/[,/?]/, 1)[0]),
    orchestrator_port: portIn(settings.TEMPORAL_ADDRESS),
    api_port: settings.API_PORT,
    ui_port: webPort(settings.CLIENT_URL),
    log_level: settings.LOG_LEVEL,
    timezone: settings.TIMEZONE,
  });
}

/** The port of `host:port`, undefined where none is written. */
function portIn(address: string | undefined): number | undefined {
  const digits = /:(\d+)$/.exec(address ?? '')?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** The port of a web address. */
function webPort(address: string): number | undefined {
  if (!URL.canParse(address)) return undefined;
  const { port: written, protocol } = new URL(address);
  return written === '' ? (protocol === 'https:' ? 443 : 80) : Number(written);
}
