import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { z } from 'zod';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const TYPESCRIPT = join(root, 'node_modules', '@typescript', 'native', 'bin', 'tsc');

/** A block of code of a page, below the path of its file: a whole file, or lines to add. */
export interface Step {
  path: string;
  kind: string;
  text: string;
}

/** The steps of a page of docs/, in order. */
export async function stepsOf(page: string): Promise<Step[]> {
  const text = await readFile(join(root, 'docs', page), 'utf8');
  const blocks = /^`([\w./-]+)`\n\n```(ts|diff)\n([\s\S]*?)^```$/gm;
  return [...text.matchAll(blocks)].map(([, path = '', kind = '', code = '']) => ({
    path,
    kind,
    text: code,
  }));
}

/** A copy of a part of the repository, in which pages are followed. */
export interface Copy {
  directory: string;
  /** Carries out a step: writes its file, or inserts each added line after the line before it. */
  follow(step: Step): Promise<void>;
  /** Messages of the compiler; empty if there are none. */
  typeErrors(): Promise<string>;
  remove(): Promise<void>;
}

/**
 * @param folders copied from the root
 * @param checked what the compiler checks, with everything that it imports
 */
export async function copyOf(folders: readonly string[], checked: readonly string[]): Promise<Copy> {
  const directory = await mkdtemp(join(tmpdir(), 'calibron-pages-'));
  for (const name of [...folders, 'package.json']) {
    await cp(join(root, name), join(directory, name), { recursive: true });
  }
  for (const name of ['node_modules', 'config']) await symlink(join(root, name), join(directory, name));
  const { compilerOptions } = JSON.parse(await readFile(join(root, 'tsconfig.json'), 'utf8'));
  const settings = {
    // What was right before a step and imports nothing of it is not checked again.
    compilerOptions: { ...compilerOptions, incremental: true, tsBuildInfoFile: 'types.json' },
    include: checked,
  };
  await writeFile(join(directory, 'tsconfig.json'), JSON.stringify(settings));
  return {
    directory,
    async follow({ path, kind, text }) {
      const file = join(directory, path);
      if (kind === 'ts') {
        await mkdir(dirname(file), { recursive: true });
        return writeFile(file, text);
      }
      const lines = (await readFile(file, 'utf8')).split('\n');
      let place = 0;
      for (const line of text.split('\n').filter((each) => each !== '')) {
        if (line.startsWith('+')) {
          lines.splice(place, 0, line.slice(1));
          place += 1;
        } else {
          place = lines.indexOf(line.slice(1), place) + 1;
          expect(place, `${path} has the line ${line}`).toBeGreaterThan(0);
        }
      }
      await writeFile(file, lines.join('\n'));
    },
    async typeErrors() {
      try {
        await run(process.execPath, [TYPESCRIPT, '--noEmit', '-p', directory], { cwd: directory });
        return '';
      } catch (thrown) {
        return z.object({ stdout: z.string() }).parse(thrown).stdout;
      }
    },
    remove: () => rm(directory, { recursive: true, force: true }),
  };
}
