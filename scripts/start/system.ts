import type { Settings } from '../../shared/kernel/config.ts';
import { type RememberedProcess, stopRemembered } from '../engines/state.ts';
import type { Report } from '../engines/types.ts';
import type { DataDirectory } from './data-directory.ts';
import { mongodbMember, temporalMember } from './engine-members.ts';
import { bringUp, keepAlive, type Member } from './members.ts';
import { apiMember, workerMember } from './service-members.ts';

/** Where the parts of the running system are. Known one after the other as they come up. */
export interface Addresses {
  temporal: string;
  temporalUi: string;
  mongodb: string;
  api: string;
}

export interface Surroundings {
  settings: Settings;
  directory: DataDirectory;
  report: Report;
  addresses: Addresses;
}

/** The four processes of a data directory: two engines, the API and a worker. */
export function createSystem(surroundings: Omit<Surroundings, 'addresses'>) {
  const { settings, directory, report } = surroundings;
  const addresses: Addresses = {
    temporal: settings.TEMPORAL_ADDRESS,
    temporalUi: settings.TEMPORAL_UI_URL,
    mongodb: settings.MONGODB_URI,
    api: '',
  };
  const all: Surroundings = { ...surroundings, addresses };
  const temporal = temporalMember(all);
  const mongodb = mongodbMember(all);
  const api = apiMember(all);
  const worker = workerMember(all);
  const up = new Map<Member, RememberedProcess>();

  async function raise(member: Member): Promise<void> {
    note(member, await bringUp(directory, member, report));
  }

  function note(member: Member, process: RememberedProcess): void {
    up.set(member, process);
    if (member === temporal) {
      addresses.temporal = process.address;
      addresses.temporalUi = uiOf(process);
    } else if (member === mongodb) {
      addresses.mongodb = process.address;
    } else if (member === api) {
      addresses.api = process.address;
    }
  }

  /** The setting where it is given; else where the engine's own interface is, or would be. */
  function uiOf(process: RememberedProcess): string {
    if (globalThis.process.env.TEMPORAL_UI_URL) return settings.TEMPORAL_UI_URL;
    return process.uiAddress ?? settings.TEMPORAL_UI_URL;
  }

  return {
    addresses,

    /** Brings all up; `prepareStore` runs between the store and the API. */
    async bringUp(prepareStore: () => Promise<void>): Promise<void> {
      const storeReady = raise(mongodb).then(prepareStore);
      await Promise.all([raise(temporal), storeReady]);
      await Promise.all([raise(api), raise(worker)]);
    },

    /** Starts again whatever dies, until the signal. */
    keepAlive(signal: AbortSignal): void {
      for (const [member, process] of up) {
        void keepAlive(directory, member, process, {
          signal,
          report,
          onRestart: async (restarted) => {
            const before = { ...addresses };
            note(member, restarted);
            const moved =
              before.temporal !== addresses.temporal ||
              before.mongodb !== addresses.mongodb ||
              before.temporalUi !== addresses.temporalUi;
            if (moved) await stopServices();
          },
        });
      }
    },
  };

  /** Their engines are elsewhere now: each is stopped, and its keeper starts it with the new addresses. */
  async function stopServices(): Promise<void> {
    for (const member of [api, worker]) {
      const process = up.get(member);
      if (process) await stopRemembered(process, member.graceMs);
    }
  }
}
