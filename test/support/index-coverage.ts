import type { CommandStartedEvent, MongoClient } from 'mongodb';
import type { CollectionIndexes } from '../../shared/kernel/database.ts';

type Fields = Record<string, unknown>;
type Key = Record<string, 1 | -1>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);

/** True for `{ $gte: … }` and the like; an equality with a document has no such key. */
const isOperator = (value: unknown): value is Fields =>
  isFields(value) && Object.keys(value).some((name) => name.startsWith('$'));

const isEquality = (value: unknown) =>
  !isOperator(value) || ['$eq', '$in'].some((operator) => operator in value) || value['$exists'] === false;

/** Read as a whole by administrators, page by page, or because they hold next to nothing. */
const readWhole = new Set(['users', 'projects', 'project_deletions', 'audit_entries', 'system_updates']);

/** Whether an index narrows to a filter's equality and gives the order of a sort; what else is asked narrows further. */
function serves(key: Key, equal: ReadonlySet<string>, sort: Key, whole: boolean): boolean {
  const fields = Object.entries(key);
  let used = 0;
  while (used < fields.length && equal.has(fields[used]?.[0] ?? '')) used += 1;
  if (used === 0 && !whole) return false;
  // A field of the filter's equality has one value, so the sort may name it or not.
  const order = Object.entries(sort).filter(([name]) => !equal.has(name));
  const rest = fields.slice(used).filter(([name]) => !equal.has(name));
  if (order.length === 0) {
    return true;
  }
  const [first] = order;
  const flip = first && rest[0] ? first[1] * rest[0][1] : 1;
  return order.every(([name, direction], index) => {
    const field = rest[index];
    return field !== undefined && field[0] === name && field[1] * flip === direction;
  });
}

/** A sentence when no index of the collection serves the filter and the sort; null when one does. */
export function uncovered(
  collection: string,
  filter: Fields,
  sort: Key,
  declared: readonly CollectionIndexes[],
): string | null {
  if ('_id' in filter && isEquality(filter['_id'])) return null;
  const conditions = Object.entries(filter).filter(([name]) => !name.startsWith('$'));
  // A range of what the list is sorted by is a part of the whole.
  const whole =
    conditions.every(([name, value]) => name in sort && !isEquality(value)) && readWhole.has(collection);
  const equal = new Set(conditions.filter(([, value]) => isEquality(value)).map(([name]) => name));
  const keys = declared
    .filter((each) => each.collection === collection)
    .flatMap((each) => each.indexes.map((index) => Object.fromEntries(Object.entries(index.key)) as Key));
  if (keys.some((key) => serves(key, equal, sort, whole))) return null;
  if (whole && Object.keys(sort).length === 0) return null;
  return `${collection}: no index serves filter {${conditions.map(([name]) => name).join(', ')}} sort ${JSON.stringify(sort)}`;
}

/**
 * Listens to what a client asks of the store, and collects every find, update, delete and aggregation that no
 * declared index serves. The embedded store has no query plan to look at, so the rule is checked on the question.
 */
export function watchIndexUse(
  client: MongoClient,
  declared: readonly CollectionIndexes[],
): { breaches: Set<string>; seen: () => number } {
  const breaches = new Set<string>();
  let seen = 0;
  const note = (collection: string, filter: unknown, sort: unknown) => {
    seen += 1;
    const order = sort instanceof Map ? Object.fromEntries(sort) : isFields(sort) ? sort : {};
    const breach = uncovered(collection, isFields(filter) ? filter : {}, order as Key, declared);
    if (breach) breaches.add(breach);
  };
  client.on('commandStarted', ({ commandName, command }: CommandStartedEvent) => {
    const collection = String(command[commandName]);
    if (commandName === 'find') note(collection, command['filter'], command['sort']);
    if (commandName === 'findAndModify') note(collection, command['query'], command['sort']);
    if (commandName === 'update') for (const each of command['updates'] ?? []) note(collection, each.q, {});
    if (commandName === 'delete') for (const each of command['deletes'] ?? []) note(collection, each.q, {});
    if (commandName === 'aggregate') {
      const [match, next] = command['pipeline'] ?? [];
      note(collection, match?.$match, next?.$sort);
    }
  });
  return { breaches, seen: () => seen };
}
