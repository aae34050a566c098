import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/** The program that compares documents. Go builds it when it is first used, and keeps it in its cache. */
const OASDIFF = 'github.com/oasdiff/oasdiff@v1.37.0';

/** Exit status of the program for documents that differ in a way that breaks clients. */
const BREAKS = 1;

/**
 * What in a document would break clients of an earlier one.
 * @param before file of the earlier document
 * @param current text of the document
 * @throws when the program cannot be run
 */
export async function breakingChanges(
  before: string,
  current: string,
): Promise<{ isBroken: boolean; report: string }> {
  const directory = await mkdtemp(join(tmpdir(), 'calibron-openapi-'));
  try {
    const revision = join(directory, 'openapi.json');
    await writeFile(revision, current);
    const { status, output, problems } = await run(['breaking', before, revision, '--fail-on', 'ERR']);
    if (status !== 0 && status !== BREAKS) throw new Error(`oasdiff failed: ${problems}`);
    if (status === BREAKS && output === '') throw new Error(`oasdiff failed: ${problems}`);
    return { isBroken: status === BREAKS, report: output.trim() };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Runs oasdiff: the one on the path, or else the one that Go builds. */
async function run(given: readonly string[]): Promise<{ status: number; output: string; problems: string }> {
  try {
    return await ended('oasdiff', given);
  } catch {
    return ended('go', ['run', OASDIFF, ...given]).catch(() => {
      throw new Error('This check needs oasdiff or Go (https://go.dev/dl) on the PATH.');
    });
  }
}

async function ended(program: string, given: readonly string[]) {
  const child = spawn(program, given, { stdio: ['ignore', 'pipe', 'pipe'] });
  const closed = new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (status) => resolve(status ?? 1));
  });
  const [status, output, problems] = await Promise.all([closed, text(child.stdout), text(child.stderr)]);
  return { status, output, problems };
}
