import type { IndexDescription } from 'mongodb';

/** Documents of the tests of indexes. */
export interface Sample {
  _id: string;
  project: string;
  name: string;
  n?: unknown;
  status?: unknown;
  tags?: unknown;
  mixed?: unknown;
  note?: unknown;
}

export const SAMPLES = 400;

export const indexes: readonly IndexDescription[] = [
  { name: 'unique', key: { project: 1, name: 1 }, unique: true },
  { name: 'by_n', key: { project: 1, n: -1, name: 1 } },
  { name: 'by_status', key: { project: 1, status: 1, n: -1, name: 1 } },
  { name: 'by_tag', key: { project: 1, tags: 1, n: 1, name: 1 } },
  { name: 'by_mixed', key: { project: 1, mixed: 1 } },
  {
    name: 'by_note',
    key: { project: 1, 'note.at': -1, name: 1 },
    partialFilterExpression: { 'note.at': { $exists: true } },
  },
];
