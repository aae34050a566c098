import type { EngineMark } from '../engine/installation-mark.ts';
import type { StoredInstallation } from './store.ts';

/** The locations of store and engine, for messages. They contain no credentials. */
export interface Places {
  /** Name of the database. */
  database: string;
  /** host:port of the Temporal server. */
  address: string;
  namespace: string;
}

/**
 * Relation of a store and a Temporal namespace. `same`: the same installation. `unbound`: the same, but the store has not
 * recorded the namespace. `unmarked`: the namespace belongs to the store or to no installation, and must get the id.
 * `foreign`: different installations.
 */
export type Relation = 'same' | 'unbound' | 'unmarked' | 'foreign';

type Stored = Pick<StoredInstallation, 'installation_id' | 'namespace_id'>;

/** Compares both sides. A replaced namespace has another namespace id, even if it carries our installation id. */
export function relationOf(stored: Stored, mark: EngineMark): Relation {
  const isBound = stored.namespace_id !== null && mark.namespace_id !== null;
  if (isBound && stored.namespace_id !== mark.namespace_id) return 'foreign';
  if (mark.installation_id === null) {
    // The store is bound to a namespace; an unmarked one whose id cannot be read is not known to be the same.
    return stored.namespace_id !== null && mark.namespace_id === null ? 'foreign' : 'unmarked';
  }
  if (mark.installation_id !== stored.installation_id) return 'foreign';
  return stored.namespace_id === null && mark.namespace_id !== null ? 'unbound' : 'same';
}

/** The command with which an operator adopts a part. */
export const adoptCommand = (part: 'temporal' | 'store' | 'data'): string => `npm run adopt -- ${part}`;

const IN_CONTAINERS = '(in a container: node dist/workers/adopt.js with the same word)';

/** Describes the difference and the operator's options. @param mark null if Temporal does not answer */
export function foreignMessage(stored: Stored, mark: EngineMark | null, places: Places): string {
  const store =
    `The store is database ${places.database} with installation id ${stored.installation_id}, ` +
    (stored.namespace_id === null
      ? 'used with no Temporal namespace yet'
      : `used with the Temporal namespace of id ${stored.namespace_id}`);
  return (
    'The store and Temporal belong to different installations. ' +
    `${store}. ${temporalMessage(mark, places)} ` +
    'Correct MONGODB_URI, MONGODB_DATABASE, TEMPORAL_ADDRESS or TEMPORAL_NAMESPACE. ' +
    `If this Temporal was restored or replaced on purpose: ${adoptCommand('temporal')}. ` +
    `If this store was: ${adoptCommand('store')} ${IN_CONTAINERS}.`
  );
}

function temporalMessage(mark: EngineMark | null, { address, namespace }: Places): string {
  const where = `Temporal is ${address}, namespace ${namespace}`;
  if (mark === null) return `${where}, which does not answer at the moment.`;
  const id = mark.namespace_id === null ? '' : ` with id ${mark.namespace_id}`;
  return `${where}${id}, ${
    mark.installation_id === null
      ? 'which carries no installation id'
      : `which carries installation id ${mark.installation_id}`
  }.`;
}
