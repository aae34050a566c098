import type { Settings } from '../../shared/kernel/config.ts';
import type { Report } from '../engines/types.ts';
import type { DataDirectory } from './data-directory.ts';

/** Where the parts of the running system are. Known one after the other as they come up. */
export interface Addresses {
  temporal: string;
  temporalUi: string;
  mongodb: string;
  api: string;
}

/** What the services of a data directory are started with. */
export interface ServiceContext {
  settings: Settings;
  directory: DataDirectory;
  report: Report;
  addresses: Addresses;
  /** Aborted when everything is to stop: nothing is started from then on. */
  signal: AbortSignal;
}
