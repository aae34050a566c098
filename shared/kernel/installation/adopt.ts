import { readEngineMark } from '../engine/installation-mark.ts';
import { writeMark } from './comparison.ts';
import { adoptDataRoot } from './data-root.ts';
import { type InstallationParts, placesOf } from './installation.ts';
import { createInstallationStore } from './store.ts';

/** Parts that can be adopted after they were restored, replaced or moved. */
export const adoptableParts = ['temporal', 'store', 'data'] as const;
export type AdoptablePart = (typeof adoptableParts)[number];

/** The part cannot be adopted; the message contains the reason. */
export class NotAdopted extends Error {
  override readonly name = 'NotAdopted';
}

/**
 * Makes a part belong to the same installation as the others: Temporal and the data root get the store's installation id;
 * the store gets that of Temporal.
 * @returns a message that describes the change
 * @throws NotAdopted if Temporal has no id that the store could adopt
 */
export async function adopt(
  part: AdoptablePart,
  parts: InstallationParts,
  dataRoot: string,
): Promise<string> {
  const store = createInstallationStore(parts.database.db);
  const { database, address, namespace } = placesOf(parts);
  const { installation_id: own } = await store.get();
  switch (part) {
    case 'temporal': {
      const before = await readEngineMark(parts.engine);
      await store.adopt({ namespace_id: before.namespace_id });
      await writeMark(parts.engine, own);
      return `Temporal ${address}, namespace ${namespace}, belongs to installation ${changeOf(before.installation_id, own)}.`;
    }
    case 'store': {
      const { namespace_id, installation_id } = await readEngineMark(parts.engine);
      if (installation_id === null) {
        throw new NotAdopted(
          `The namespace ${namespace} of Temporal ${address} carries no installation id that the store could get. ` +
            'Adopt this Temporal instead.',
        );
      }
      await store.adopt({ installation_id, namespace_id });
      return `The store, database ${database}, belongs to installation ${changeOf(own, installation_id)}.`;
    }
    case 'data': {
      const before = await adoptDataRoot(dataRoot, store);
      return `The calibration data root ${dataRoot} belongs to installation ${changeOf(before, own)}.`;
    }
  }
}

function changeOf(before: string | null, now: string): string {
  return before === now ? `${now}, as before` : `${now} (before: ${before ?? 'none'})`;
}
