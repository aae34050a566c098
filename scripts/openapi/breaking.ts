import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { z } from 'zod';

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
    const [base, revision] = [join(directory, 'before.json'), join(directory, 'openapi.json')];
    await writeFile(base, withGrowingNames(await readFile(before, 'utf8')));
    await writeFile(revision, withGrowingNames(current));
    const { status, output, problems } = await run(['breaking', base, revision, '--fail-on', 'ERR']);
    if (status !== 0 && status !== BREAKS) throw new Error(`oasdiff failed: ${problems}`);
    if (status === BREAKS && output === '') throw new Error(`oasdiff failed: ${problems}`);
    return { isBroken: status === BREAKS, report: output.trim() };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Text in the description of a list of names that may grow. */
const GROWS = /Later versions may add names/;

/**
 * A document in which lists of names are marked as growing if their descriptions say so: a new name breaks no client.
 * Generators do not know the extension, so the published document has plain enumerations.
 */
function withGrowingNames(document: string): string {
  return JSON.stringify(JSON.parse(document), (_, value: unknown) => {
    const { data } = growing.safeParse(value);
    if (data === undefined) return value;
    const { enum: names, ...rest } = data;
    return { ...rest, 'x-extensible-enum': names };
  });
}

const growing = z.looseObject({ enum: z.array(z.string()), description: z.string().regex(GROWS) });

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
