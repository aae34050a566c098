import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import semver from 'semver';
import { z } from 'zod';

/** First version whose open runs must continue in later ones. */
export const FIRST_COMPATIBLE = '1.0.0';
/** Folder with the recorded histories, one subfolder per version. */
export const HISTORIES = 'test/histories';

const SUPPORT = 'support/histories';
const RECORDING_CALL = /\bhistor(?:y|ies)Of(?:Run)?\(lab,/;

const recordedHistory = z.object({
  events: z
    .tuple([
      z.object({
        workflowExecutionStartedEventAttributes: z.object({ workflowType: z.object({ name: z.string() }) }),
      }),
    ])
    .rest(z.unknown()),
});

/** Whether later versions must replay the histories of this one. */
export function mustReplay(version: string): boolean {
  return semver.gte(version, FIRST_COMPATIBLE);
}

/** Test files that record histories of the workflows that they run, relative to the root. */
export async function recordingTests(root: string): Promise<string[]> {
  const tests = (await readdir(join(root, 'test'), { recursive: true })).filter((path) =>
    path.endsWith('.test.ts'),
  );
  const recording = await Promise.all(
    tests.map(async (path) => {
      const text = await readFile(join(root, 'test', path), 'utf8');
      return text.includes(SUPPORT) && RECORDING_CALL.test(text);
    }),
  );
  return tests
    .filter((_, position) => recording[position])
    .map((path) => `test/${path}`)
    .sort();
}

/** Names of the workflows of which a folder has a recorded history. */
export async function recordedWorkflows(folder: string): Promise<Set<string>> {
  const files = (await readdir(folder).catch((): string[] => [])).filter((name) => name.endsWith('.json'));
  const names = files.map(async (name) => {
    const { events } = recordedHistory.parse(JSON.parse(await readFile(join(folder, name), 'utf8')));
    return events[0].workflowExecutionStartedEventAttributes.workflowType.name;
  });
  return new Set(await Promise.all(names));
}

/**
 * Problems with the recorded histories of releases. Without them a change of workflow commands would not be noticed.
 * @param versions released versions
 */
export async function historyProblems(root: string, versions: readonly string[]): Promise<string[]> {
  const problems: string[] = [];
  for (const version of versions.filter(mustReplay)) {
    const { size } = await recordedWorkflows(join(root, HISTORIES, version));
    if (size === 0) {
      problems.push(
        `Version ${version} has no recorded histories. Restore ${HISTORIES}/${version} from its tag.`,
      );
    }
  }
  return problems;
}
