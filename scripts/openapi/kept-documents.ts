/** The documents of releases, in docs/openapi. */
import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { compare, valid } from 'semver';

const folder = new URL('../../docs/openapi/', import.meta.url);

/** Where the document of a version is kept. */
export const pathOfKept = (version: string) => fileURLToPath(new URL(`${version}.json`, folder));

/** The newest document that is kept. */
export async function lastKept(): Promise<{ version: string; path: string }> {
  const names = await readdir(folder);
  const versions = names.flatMap((name) => valid(name.replace(/\.json$/, '')) ?? []);
  const version = versions.sort(compare).at(-1);
  if (version === undefined) throw new Error('docs/openapi has no document to compare with.');
  return { version, path: pathOfKept(version) };
}

/** A document as it is kept. */
export const documentText = (document: unknown) => `${JSON.stringify(document, null, 1)}\n`;
