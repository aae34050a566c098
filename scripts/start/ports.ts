import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../engines/processes.ts';
import type { Report } from '../engines/types.ts';

/**
 * Milliseconds to wait for a recorded port that is in use. While a service is down, a client that tries to connect to it may
 * get its port as the local port for a short time.
 */
const PATIENCE_MS = 3000;
const POLL_MS = 50;

/** An explicitly set port is in use. It is not replaced by another one, because clients rely on it. */
export class SetPortTaken extends Error {
  override readonly name = 'SetPortTaken';
}

/**
 * The port given by a setting, as soon as it is free; 0 stands for any free port.
 * @throws SetPortTaken if another program keeps using it
 */
export async function setPort(
  title: string,
  setting: string,
  port: number,
  patienceMs = PATIENCE_MS,
): Promise<number> {
  if (port === 0) return freePort();
  if (await becomesFree(port, Date.now() + patienceMs)) return port;
  throw new SetPortTaken(
    `port ${port} of ${setting} is taken by another program: stop it, set another port for ${title}, ` +
      `or unset ${setting}, and a free one is taken`,
  );
}

async function becomesFree(port: number, until: number): Promise<boolean> {
  for (;;) {
    if ((await freePort(port)) === port) return true;
    if (Date.now() >= until) return false;
    await sleep(POLL_MS);
  }
}

/**
 * The first free one of the preferred ports, otherwise any free port. Reports if it is not the first choice. Ignores 0
 * and undefined.
 * @param of `remembered` is the service's previous port. Waits a moment for it, because clients know it
 */
export async function choosePort(
  title: string,
  wanted: readonly (number | undefined)[],
  report: Report,
  { remembered, patienceMs = PATIENCE_MS }: { remembered?: number | undefined; patienceMs?: number } = {},
): Promise<number> {
  const ports = wanted.filter((port): port is number => port !== undefined && port !== 0);
  const taken: number[] = [];
  for (const port of ports) {
    if (taken.includes(port)) continue;
    const patience = port === remembered ? patienceMs : 0;
    if (await becomesFree(port, Date.now() + patience)) return reported(port);
    taken.push(port);
  }
  return reported(await freePort());

  function reported(port: number): number {
    if (taken.length > 0) report(`port ${taken.join(' and ')} is taken: ${title} takes ${port}`);
    return port;
  }
}
