import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mongodbCandidates } from '../../scripts/engines/candidates.ts';
import { findEngine } from '../../scripts/engines/sources.ts';
import { noReport } from '../../scripts/engines/types.ts';

/**
 * A program with mongod's options that serves from the embedded store, in files of its own name: for tests of what
 * happens around a mongod on machines that have none.
 * @returns its path
 */
export async function mongodStandIn(directory: string): Promise<string> {
  const source = await findEngine(
    'mongodb',
    noReport,
    mongodbCandidates().filter(({ flavour }) => flavour === 'mongo-java-server'),
  );
  if (source.kind !== 'program') throw new Error('the embedded store is not a program');
  const path = join(directory, 'mongod');
  const command = [source.command, ...source.args].map((part) => `'${part}'`).join(' ');
  await writeFile(
    path,
    `#!/bin/bash
if [ "$1" = --version ]; then echo 'db version v7.0.1'; exit; fi
while [ $# -gt 0 ]; do
  case "$1" in --port) port=$2;; --dbpath) path=$2;; esac
  shift
done
touch "$path/WiredTiger"
exec ${command} --port "$port" --file "$path/collections.wt"
`,
  );
  await chmod(path, 0o755);
  return path;
}
