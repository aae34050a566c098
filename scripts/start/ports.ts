import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../engines/processes.ts';
import type { Report } from '../engines/types.ts';

/**
 * Milliseconds for which a remembered port may be taken: while a service is down, a connection of somebody who looks for it
 * may get its port, and lets go of it soon.
 */
const PATIENCE_MS = 3000;
const LOOK_MS = 50;

/** A port set explicitly is taken. No other port is used in its place, since clients know this one. */
export class SetPortTaken extends Error {
  override readonly name = 'SetPortTaken';
}

/**
 * The port that a setting names, once it is free; 0 takes any.
 * @throws SetPortTaken when another program keeps it
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
    await sleep(LOOK_MS);
  }
}

/**
 * The first of the wanted ports that is free, else any free one. Says so when it is not the first that was
 * wanted; 0 and undefined want nothing.
 * @param of `remembered` is the port that the service had, for which it waits a moment: its clients know it
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
    if (await becomesFree(port, Date.now() + patience)) return told(port);
    taken.push(port);
  }
  return told(await freePort());

  function told(port: number): number {
    if (taken.length > 0) report(`port ${taken.join(' and ')} is taken: ${title} takes ${port}`);
    return port;
  }
}
