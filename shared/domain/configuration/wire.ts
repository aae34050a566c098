import type { z } from 'zod';
import type { KernelSettings } from '../../kernel/settings.ts';
import { publicSettings } from './model.ts';

/** The settings visible to clients. Each is listed here explicitly, so that a new secret is never included. */
export function publicSettingsOf(settings: KernelSettings): z.infer<typeof publicSettings> {
  const docdbPort = portIn(settings.MONGODB_URI.replace(/^[^/]*\/\/([^@/]*@)?/, '').split(/[,/?]/, 1)[0]);
  const orchestratorPort = portIn(settings.TEMPORAL_ADDRESS);
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
    docdb_port: docdbPort,
    orchestrator_port: orchestratorPort,
    api_port: settings.API_PORT,
    ui_port: webPort(settings.CLIENT_URL),
    log_level: settings.LOG_LEVEL,
    timezone: settings.TIMEZONE,
    prefect_api_url: settings.TEMPORAL_ADDRESS,
    slack_channel_id: '',
    postgres_data_path: '',
    mongo_data_path: '',
    mongo_db_name: settings.MONGODB_DATABASE,
    mongo_port: docdbPort,
    prefect_port: orchestratorPort,
  });
}

/** The port of `host:port`; undefined if there is none. */
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
