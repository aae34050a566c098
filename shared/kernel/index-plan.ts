import { BSON, type Document } from 'mongodb';
import type { CollectionIndexes } from './database.ts';

type DeclaredIndex = CollectionIndexes['indexes'][number];

/** Differences between the existing and the declared indexes of one collection. */
export interface IndexPlan {
  collection: string;
  /** Indexes to build, under unused names. */
  build: DeclaredIndex[];
  /** Names of indexes with a new `expireAfterSeconds`. */
  lifetimes: { name: string; expireAfterSeconds: number }[];
  /** Names of indexes to drop before building, because the server does not allow the new ones beside them. */
  dropFirst: string[];
  /** Names of indexes to drop after the new ones are built. */
  dropLast: string[];
}

/** Options that, besides the key, identify an index: indexes that differ in one of them can coexist. */
const IDENTITY = ['unique', 'sparse', 'partialFilterExpression', 'collation'] as const;
/** Fields that `listIndexes` adds, options without effect, and those compared separately. */
const IGNORED = new Set<string>(['v', 'ns', 'name', 'key', 'background', 'expireAfterSeconds', ...IDENTITY]);

const PRIMARY = '_id_';

/**
 * Compares the indexes of a collection with the declared ones, by definition and not by name: a changed index is built
 * under another name while the old one is still in use.
 * @param present as returned by `listIndexes`
 * @returns null if there is nothing to do
 */
export function planIndexes(declared: CollectionIndexes, present: readonly Document[]): IndexPlan | null {
  const others = present.filter(({ name }) => name !== PRIMARY);
  const ambiguous = new Set(others.map(nameOf).filter((name, at, names) => names.indexOf(name) !== at));
  const usable = others.filter((index) => !ambiguous.has(nameOf(index)));
  const plan: IndexPlan = {
    collection: declared.collection,
    build: [],
    lifetimes: [],
    dropFirst: [...ambiguous],
    dropLast: [],
  };
  const kept = new Set<string>();
  for (const index of declared.indexes) {
    const same = usable.find((each) => identityOf(each) === identityOf(index));
    if (same === undefined) {
      plan.build.push(index);
      continue;
    }
    const name = nameOf(same);
    const lifetime = index.expireAfterSeconds;
    if (optionsOf(same) !== optionsOf(index) || (lifetime === undefined && isExpiring(same))) {
      plan.dropFirst.push(name);
      plan.build.push(index);
    } else {
      kept.add(name);
      if (lifetime !== undefined && Number(same['expireAfterSeconds']) !== lifetime) {
        plan.lifetimes.push({ name, expireAfterSeconds: lifetime });
      }
    }
  }
  plan.dropLast = usable.map(nameOf).filter((name) => !kept.has(name) && !plan.dropFirst.includes(name));
  const taken = new Set([...kept, ...plan.dropLast]);
  plan.build = plan.build.map((index) => {
    const name = freeName(index.name, taken);
    taken.add(name);
    return { ...index, name };
  });
  const isDone = [plan.build, plan.lifetimes, plan.dropFirst, plan.dropLast].every(
    ({ length }) => length === 0,
  );
  return isDone ? null : plan;
}

/** The part of a plan that an older release may carry out beside a newer one: it only builds missing indexes. */
export function onlyAdditions(plan: IndexPlan): IndexPlan | null {
  const build = plan.dropFirst.length > 0 ? [] : plan.build;
  return build.length > 0 ? { ...plan, build, lifetimes: [], dropLast: [] } : null;
}

function nameOf(index: Document): string {
  return String(index['name']);
}

function isExpiring(index: Document): boolean {
  return index['expireAfterSeconds'] !== undefined;
}

function freeName(name: string, taken: ReadonlySet<string>): string {
  let free = name;
  for (let version = 2; taken.has(free); version += 1) free = `${name}_${version}`;
  return free;
}

function identityOf(index: Document): string {
  const key = index['key'];
  const fields = key instanceof Map ? [...key] : Object.entries(key);
  const options = IDENTITY.map((name) => index[name] || null);
  return textOf([fields, ...options]);
}

function optionsOf(index: Document): string {
  const names = Object.keys(index).filter((name) => !IGNORED.has(name) && index[name] !== undefined);
  return textOf(names.sort().map((name) => [name, index[name]]));
}

function textOf(value: unknown): string {
  return BSON.EJSON.stringify({ value }, { relaxed: true });
}
