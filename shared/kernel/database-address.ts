/** Allowed values of `w`, `journal` … in a `mongodb://` address. The code sets them; weaker ones lose acknowledged writes. */
const ALLOWED: Record<string, { name: string; values: readonly string[]; reason: string }> = {
  w: { name: 'w', values: ['majority'], reason: 'writes must be acknowledged by a majority' },
  journal: { name: 'journal', values: ['true'], reason: 'writes must be in the journal' },
  j: { name: 'j', values: ['true'], reason: 'writes must be in the journal' },
  readpreference: { name: 'readPreference', values: ['primary'], reason: 'reads must come from the primary' },
  readconcernlevel: {
    name: 'readConcernLevel',
    values: ['majority', 'linearizable'],
    reason: 'reads must not see what a failover can take back',
  },
};

/**
 * Finds options in an address that weaken guarantees the service relies on.
 * @returns one message per option, without the address, which may contain a password
 */
export function weakeningOptions(address: string): string[] {
  return optionsOf(address).flatMap(([given, value]) => {
    const known = ALLOWED[given.toLowerCase()];
    if (!known || known.values.includes(value)) return [];
    return [`${known.name}=${value} is not allowed, because ${known.reason}; remove it`];
  });
}

/** Whether an address has no weakening options. */
export const isStrictAddress = (address: string): boolean => weakeningOptions(address).length === 0;

/** Name of the database in an address; null if there is none. */
export function databaseIn(address: string): string | null {
  const [place = ''] = address.replace(/^[^:]+:\/\//, '').split('?', 1);
  const slash = place.indexOf('/', place.lastIndexOf('@') + 1);
  if (slash < 0) return null;
  const name = place.slice(slash + 1);
  return name === '' ? null : decodeURIComponent(name);
}

function optionsOf(address: string): [string, string][] {
  const query = address.indexOf('?');
  return query < 0 ? [] : [...new URLSearchParams(address.slice(query + 1))];
}
