import { freePort } from '../engines/processes.ts';
import type { Report } from '../engines/types.ts';

/**
 * The first of the wanted ports that is free, else any free one. Says so when it is not the first that was
 * wanted; 0 and undefined want nothing.
 */
export async function choosePort(
  title: string,
  wanted: readonly (number | undefined)[],
  report: Report,
): Promise<number> {
  const ports = wanted.filter((port): port is number => port !== undefined && port !== 0);
  const taken: number[] = [];
  for (const port of ports) {
    if (taken.includes(port)) continue;
    if ((await freePort(port)) === port) return told(port);
    taken.push(port);
  }
  return told(await freePort());

  function told(port: number): number {
    if (taken.length > 0) report(`port ${taken.join(' and ')} is taken: ${title} takes ${port}`);
    return port;
  }
}
