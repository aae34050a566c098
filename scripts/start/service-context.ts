import type { Settings } from '../../shared/domain/settings.ts';
import type { Report } from '../engines/types.ts';
import type { DataDirectory } from './data-directory.ts';

/** Addresses of the parts of the running system. Filled in as the parts start. */
export interface Addresses {
  temporal: string;
  temporalUi: string;
  mongodb: string;
  api: string;
}

/** Context for starting the services of a data directory. */
export interface ServiceContext {
  settings: Settings;
  directory: DataDirectory;
  report: Report;
  addresses: Addresses;
  /** Aborts when everything must stop. Nothing is started after that. */
  signal: AbortSignal;
}
