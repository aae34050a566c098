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
  !isOperator(value) ||
  ['$eq', '$in', '$all'].some((operator) => operator in value) ||
  value['$exists'] === false;

/** Read as a whole by administrators, page by page, or because they hold next to nothing. */
const readWhole = new Set([
  'users',
  'projects',
  'project_deletions',
  'retention_rules',
  'backend_workers',
  'audit_entries',
  'system_updates',
]);

/** Where a project has so few documents that a question with alternatives may look at all of them. */
const fewInProject = new Set(['schedules']);

/**
 * Of collections with a million documents or with thousands a chip: what may be asked of the documents that an index
 * found. It leaves out few of them, or they are few already; everything else has to be in the index.
 */
const lookedAt: Readonly<Record<string, readonly string[]>> = {
  task_results: [
    // one of a handful of values
    'status',
    'check',
    'task_type',
    'excluded',
    'ai_review.held_back',
    'ai_review.status',
    'outcome',
    // lists with several filters at once, read page by page in their order
    'username',
    'execution_id',
    'qid',
    'name',
    'task_id',
    'message',
    'start_at',
    'tags',
    // of one target's results, which are in order
    'cooldown_id',
    'closed_at',
  ],
  qubits: ['note.updated_at', 'metric_notes'],
  couplings: ['note.updated_at', 'metric_notes'],
  qubit_history: [],
  coupling_history: [],
  chips: [],
};

interface Question {
  equal: ReadonlySet<string>;
  others: readonly string[];
  sort: Key;
}

/** How many leading fields of an index a filter asks for by value; null where the index does not give the order. */
function leading(key: Key, { equal, sort }: Question): number | null {
  const fields = Object.entries(key);
  let used = 0;
  while (used < fields.length && equal.has(fields[used]?.[0] ?? '')) used += 1;
  // A field of the filter's equality has one value, so the sort may name it or not.
  const order = Object.entries(sort).filter(([name]) => !equal.has(name));
  const rest = fields.slice(used).filter(([name]) => !equal.has(name));
  const [first] = order;
  const flip = first && rest[0] ? first[1] * rest[0][1] : 1;
  const inOrder = order.every(([name, direction], index) => {
    const field = rest[index];
    return field !== undefined && field[0] === name && field[1] * flip === direction;
  });
  return inOrder ? used : null;
}

/** Fields that a query needs beyond those that the index finds. */
function beyond(key: Key, used: number, { equal, others, sort }: Question): string[] {
  const names = Object.keys(key);
  const found = new Set(names.slice(0, used));
  // One range follows what is requested by value, or what is sorted by.
  const ranged = new Set([names[used], ...Object.keys(sort).slice(0, 1)]);
  return [...equal].filter((name) => !found.has(name)).concat(others.filter((name) => !ranged.has(name)));
}

/** What two filters want of a field together: of a value and a range, the value is what an index finds. */
function both(one: unknown, other: unknown): unknown {
  if (isOperator(one) && isOperator(other)) return { ...one, ...other };
  return isEquality(one) ? one : other;
}

function merged(one: Fields, other: Fields): Fields {
  const inBoth = Object.keys(other).filter((name) => name in one);
  const together = inBoth.map((name) => [name, both(one[name], other[name])] as const);
  return { ...one, ...other, ...Object.fromEntries(together) };
}

/** A filter with each of its alternatives in their place; one without is given as it is. */
function alternatives(filter: Fields): Fields[] {
  const { $and, $or, ...plain } = filter;
  const parts = Array.isArray($and) ? $and.filter(isFields).map(alternatives) : [];
  const choices = Array.isArray($or) ? $or.filter(isFields).flatMap(alternatives) : [];
  return [...parts, ...(choices.length > 0 ? [choices] : [])].reduce<Fields[]>(
    (wholes, part) => wholes.flatMap((whole) => part.map((choice) => merged(whole, choice))),
    [plain],
  );
}

/** A message when no index of the collection serves the filter and the sort; null when one does. */
export function uncovered(
  collection: string,
  filter: Fields,
  sort: Key,
  declared: readonly CollectionIndexes[],
): string | null {
  if ('_id' in filter && isEquality(filter['_id'])) return null;
  const choices = alternatives(filter);
  for (const choice of choices) {
    const breach = uncoveredChoice(
      collection,
      choice,
      { sort, isOneOfSeveral: choices.length > 1 },
      declared,
    );
    if (breach) return breach;
  }
  return null;
}

function uncoveredChoice(
  collection: string,
  filter: Fields,
  { sort, isOneOfSeveral }: { sort: Key; isOneOfSeveral: boolean },
  declared: readonly CollectionIndexes[],
): string | null {
  const conditions = Object.entries(filter).filter(([name]) => !name.startsWith('$'));
  // A range of what the list is sorted by is a part of the whole.
  const whole =
    conditions.every(([name, value]) => name in sort && !isEquality(value)) && readWhole.has(collection);
  const equal = new Set(conditions.filter(([, value]) => isEquality(value)).map(([name]) => name));
  const others = conditions.map(([name]) => name).filter((name) => !equal.has(name));
  const question = { equal, others, sort };
  const mayLookAt = lookedAt[collection];
  // Of several alternatives none may look at all of a project.
  const fewest = whole ? 0 : isOneOfSeveral && !fewInProject.has(collection) ? 2 : 1;
  const served = declared
    .filter((each) => each.collection === collection)
    .flatMap((each) => each.indexes.map((index) => Object.fromEntries(Object.entries(index.key)) as Key))
    .some((key) => {
      const used = leading(key, question);
      if (used === null || used < fewest) return false;
      return (
        mayLookAt === undefined ||
        beyond(key, used, question).every(
          (name) => mayLookAt.includes(name) || name.startsWith('output_parameters.'),
        )
      );
    });
  if (served || (whole && Object.keys(sort).length === 0)) return null;
  // Old documents of a small collection are deleted by an index of their times.
  const isOneRange = conditions.length === 1 && Object.keys(sort).length === 0 && readWhole.has(collection);
  const [ranged] = others;
  const isRangeOfIndex = declared.some(
    (each) =>
      each.collection === collection && each.indexes.some((index) => Object.keys(index.key)[0] === ranged),
  );
  if (isOneRange && isRangeOfIndex) return null;
  return `${collection}: no index serves filter {${conditions.map(([name]) => name).join(', ')}} sort ${JSON.stringify(sort)}`;
}

/**
 * Listens to what a client asks of the store, and collects every find, count, update, delete and aggregation that no
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
    if (commandName === 'distinct' || commandName === 'count') note(collection, command['query'], {});
    if (commandName === 'update') for (const each of command['updates'] ?? []) note(collection, each.q, {});
    if (commandName === 'delete') for (const each of command['deletes'] ?? []) note(collection, each.q, {});
    if (commandName === 'aggregate') {
      const [match, next] = command['pipeline'] ?? [];
      note(collection, match?.$match, next?.$sort);
    }
  });
  return { breaches, seen: () => seen };
}
