import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { processorSeconds } from '../../../scripts/engines/processor-time.ts';

/** Seconds that each of two processes computes. */
const BURNT = 0.2;

const burn = `const end = ${BURNT * 1e6}; for (;;) { const { user, system } = process.cpuUsage(); if (user + system > end) break; }`;
/** Computes, has a child compute, says so and waits. */
const program = `${burn}
require('node:child_process').execFileSync(process.execPath, ['-e', ${JSON.stringify(burn)}]);
console.log('done');
process.stdin.resume();`;

test.runIf(process.platform === 'linux')(
  'the processor time of a process has that of its children, while they run and after they have ended',
  async () => {
    const before = processorSeconds(process.pid);
    const child = spawn(process.execPath, ['-e', program], { stdio: ['pipe', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    const running = processorSeconds(child.pid ?? 0);
    expect(running).toBeGreaterThan(2 * BURNT * 0.9);
    expect(processorSeconds(process.pid) - before).toBeGreaterThan(2 * BURNT * 0.9);
    child.stdin.end();
    await once(child, 'exit');
    expect(processorSeconds(child.pid ?? 0)).toBe(0);
    expect(processorSeconds(process.pid) - before).toBeGreaterThanOrEqual(running * 0.9);
  },
);
