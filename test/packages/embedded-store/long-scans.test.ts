import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { testWithOwnStore } from '../../support/own-store-tests.ts';
import { withOwnStore } from './stores.ts';

const execute = promisify(execFile);

testWithOwnStore(
  'a scan sees the documents as they were at its start, however many are replaced and moved meanwhile',
  (context) =>
    withOwnStore(async ({ source, dataPath, start, stop }) => {
      if (source.kind !== 'program' || source.flavour !== 'mongo-java-server')
        return context.skip('only the embedded store keeps versions of its own');
      // The directory of the data is there after a start.
      await start();
      await stop();
      const classPath = source.args[source.args.indexOf('-cp') + 1] ?? expect.fail('no class path');
      const program = join(import.meta.dirname, 'ScanWhileReplaced.java');
      await execute('javac', ['-d', dataPath, '-cp', classPath, program]);
      const { stdout } = await execute(source.command, [
        '-cp',
        `${dataPath}:${classPath}`,
        'calibron.store.ScanWhileReplaced',
        join(dataPath, 'scanned.mv'),
      ]);
      expect(stdout).toContain('2000 documents of one version');
    }),
);
