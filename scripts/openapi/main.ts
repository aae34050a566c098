/**
 * The OpenAPI document as files and under checks:
 *
 * - `npm run openapi -- lint` checks it against Redocly's recommended rules.
 * - `npm run openapi -- breaking` lists what would break clients of the last kept document.
 * - `npm run openapi -- release` keeps it as docs/openapi/<version>.json.
 * - `npm run openapi -- write FILE` writes it to a file.
 * - `npm run openapi -- types` writes its types for packages/client and the console, which `npm run typecheck` does too.
 */
import { writeFile } from 'node:fs/promises';
import { messageOf } from '../../shared/kernel/errors.ts';
import { SERVICE_VERSION } from '../../shared/kernel/service-version.ts';
import { breakingChanges } from './breaking.ts';
import { writeClientTypes } from './client-types.ts';
import { currentDocuments } from './document.ts';
import { documentText, lastKept, pathOfKept } from './kept-documents.ts';
import { lintProblems } from './lint.ts';

async function main([command, file]: readonly string[]): Promise<number> {
  const { current, earlier } = await currentDocuments();
  switch (command) {
    case 'lint': {
      const problems = [
        ...(await lintProblems(current, '/openapi.json')),
        ...(await lintProblems(earlier, '/api/openapi.json')),
      ];
      for (const problem of problems) console.error(problem);
      return problems.length === 0 ? 0 : 1;
    }
    case 'breaking': {
      const before = await lastKept();
      const { isBroken, report } = await breakingChanges(before.path, documentText(current));
      console.log(`Compared with ${before.version}:\n${report}`);
      return isBroken ? 1 : 0;
    }
    case 'release':
      await writeFile(pathOfKept(SERVICE_VERSION), documentText(current));
      return 0;
    case 'write':
      if (file === undefined) throw new Error('Name the file: npm run openapi -- write FILE');
      await writeFile(file, documentText(current));
      return 0;
    case 'types':
      await writeClientTypes(documentText(current));
      return 0;
    default:
      throw new Error('Say what to do: lint, breaking, release, types or write FILE.');
  }
}

try {
  process.exit(await main(process.argv.slice(2)));
} catch (thrown) {
  console.error(messageOf(thrown));
  process.exit(1);
}
