import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { z } from 'zod';
import { programs } from '../../scripts/programs.ts';
import { packageRoot } from '../../shared/kernel/package-root.ts';

/** The API as a process of its own. */
export interface ApiProcess {
  out(): string;
  err(): string;
  signal(signal: NodeJS.Signals): void;
  /** Waits for its end; the exit code. */
  ended(): Promise<number | null>;
  kill(): Promise<void>;
  /** Waits for the line that says it listens; the address it listens on. */
  listening(): Promise<string>;
}

/** Starts the API's program with settings of its own; the engines are those of the tests. */
export function startApiProcess(environment: Readonly<Record<string, string>>): ApiProcess {
  const child = spawn(process.execPath, [programs.api], {
    cwd: packageRoot,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      API_PORT: '0',
      MONGODB_URI: process.env.CALIBRON_TEST_MONGODB,
      TEMPORAL_ADDRESS: process.env.CALIBRON_TEST_TEMPORAL,
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk) => {
    out += String(chunk);
  });
  child.stderr.on('data', (chunk) => {
    err += String(chunk);
  });
  const exited = once(child, 'exit');
  return {
    out: () => out,
    err: () => err,
    signal: (signal) => void child.kill(signal),
    async ended(): Promise<number | null> {
      await exited;
      return child.exitCode;
    },
    async kill(): Promise<void> {
      if (child.exitCode === null) child.kill('SIGKILL');
      await exited;
    },
    async listening(): Promise<string> {
      for (const limit = Date.now() + 120_000; Date.now() < limit; ) {
        const line = out.split('\n').find((each) => each.includes('"listening"'));
        if (line) {
          const { address, port } = z
            .object({ address: z.string(), port: z.number() })
            .parse(JSON.parse(line));
          return `http://${address}:${port}`;
        }
        if (child.exitCode !== null) break;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      throw new Error(`it does not listen: ${out}${err}`);
    },
  };
}
