import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

/** Major versions of Node.js that a release is tested on, the oldest first. */
export const NODE_VERSIONS = ['20', '22', '24', '26'];

/** File in the root with the results of the last `npm run test:nodes`. Not part of the repository. */
const RESULTS_FILE = '.tested-nodes.json';

const testedNodes = z.object({
  /** Commit that was tested; null if files were changed. */
  commit: z.string().nullable(),
  results: z.array(
    z.object({ node: z.string(), passed: z.number(), failed: z.number(), skipped: z.number() }),
  ),
});

/** Results of the tests by version of Node.js. */
export type TestedNodes = z.infer<typeof testedNodes>;

/** @returns null if `npm run test:nodes` has not run in this tree */
export async function readTestedNodes(root: string): Promise<TestedNodes | null> {
  const text = await readFile(join(root, RESULTS_FILE), 'utf8').catch(() => null);
  return text === null ? null : testedNodes.parse(JSON.parse(text));
}

export async function writeTestedNodes(root: string, tested: TestedNodes): Promise<void> {
  await writeFile(join(root, RESULTS_FILE), `${JSON.stringify(tested, null, 2)}\n`);
}

/** Reasons why a commit must not be released; empty if all tests passed on all versions of Node.js. */
export function testedProblems(tested: TestedNodes | null, commit: string): string[] {
  if (tested === null || tested.commit !== commit)
    return ['This commit has not been tested on all versions of Node.js. Run npm run test:nodes.'];
  const { results } = tested;
  const missing = NODE_VERSIONS.filter((major) => !results.some(({ node }) => majorOf(node) === major));
  const failing = results.filter(({ failed, passed }) => failed > 0 || passed === 0);
  return [
    ...missing.map((major) => `The tests did not run on Node.js ${major}. Run npm run test:nodes.`),
    ...failing.map(({ node, failed }) => `${failed} tests fail on Node.js ${node}. Fix them.`),
  ];
}

/** Sentence for the changelog. */
export function testedText({ results }: Pick<TestedNodes, 'results'>): string {
  const each = results.map(({ node, passed, skipped }) => {
    const left = skipped > 0 ? ` and ${skipped} skipped` : '';
    return `${node} (${passed} tests passed${left})`;
  });
  return `Node.js ${each.join(', ')}.`;
}

function majorOf(node: string): string {
  return node.split('.', 1)[0] ?? '';
}
