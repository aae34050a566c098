import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { constants, setPriority } from 'node:os';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Logger } from '../../kernel/log.ts';
import { packageRoot } from '../../kernel/package-root.ts';
import { EXPECTED_FIGURE } from './rules.ts';

/** Milliseconds that a request waits for the pictures; after that it is answered without them. */
const LONGEST_WAIT = 60_000;
/** Environment variables that the program needs; secrets are not passed on. */
const PASSED_ON = ['PATH', 'LD_LIBRARY_PATH', 'TZ', 'TMPDIR'];

interface Drawing {
  /** Folder of the shipped pages about tasks. */
  folder: string;
  /** TypeScript program that writes all pictures into the folder when it finishes. */
  program: URL;
  log: Pick<Logger, 'warn'>;
  longestWait?: number;
}

/** Pictures of the shipped task pages, drawn by a separate process when a page is first read. */
export function createExpectedFigures({ folder, program, log, longestWait = LONGEST_WAIT }: Drawing) {
  let drawing: Promise<void> | undefined;
  let child: ChildProcess | undefined;
  let isClosed = false;

  async function areThere(): Promise<boolean> {
    const files = await readdir(folder, { recursive: true }).catch(() => []);
    return files.some((file) => basename(file) === EXPECTED_FIGURE);
  }

  async function draw(): Promise<void> {
    if ((await areThere()) || isClosed) return;
    const environment = PASSED_ON.map((name) => [name, process.env[name]] as const);
    child = fork(fileURLToPath(program), {
      // The directory in which the package tsx is found.
      cwd: fileURLToPath(packageRoot),
      execArgv: ['--import', 'tsx'],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      env: Object.fromEntries(environment.filter(([, value]) => value !== undefined)),
    });
    if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
    const [code] = await once(child, 'exit');
    if (code !== 0 && !isClosed) throw new Error(`the program ended with ${code}`);
  }

  return {
    /**
     * Waits until the pictures exist. The first call draws them, and concurrent calls share its work. If drawing fails,
     * pages are shown without them.
     */
    async drawn(): Promise<void> {
      drawing ??= draw().catch((err: unknown) => {
        log.warn({ err }, 'the pages about tasks have no pictures');
      });
      const waiting = new AbortController();
      await Promise.race([
        drawing,
        sleep(longestWait, undefined, { signal: waiting.signal }).catch(() => undefined),
      ]);
      waiting.abort();
    },

    /** Stops the program if it is still drawing. */
    async close(): Promise<void> {
      isClosed = true;
      child?.kill();
      await drawing;
    },
  };
}
