import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { expect, test } from 'vitest';
import { freePort } from '../../../scripts/engines/processes.ts';
import { choosePort, SetPortTaken, setPort } from '../../../scripts/start/ports.ts';

async function listening(): Promise<{ port: number; server: Server }> {
  const port = await freePort();
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  return { port, server };
}

async function chosen(wanted: readonly (number | undefined)[], remembered?: number, patienceMs?: number) {
  const said: string[] = [];
  const port = await choosePort('the API', wanted, (line) => said.push(line), {
    remembered,
    ...(patienceMs && { patienceMs }),
  });
  return { port, said };
}

test('a service that comes back waits for the port that it had, where that is taken for a moment', async () => {
  const { port, server } = await listening();
  setTimeout(() => server.close(), 200);
  const again = await chosen([port, 0], port, 60_000);
  expect(again).toEqual({ port, said: [] });
});

test('a port that stays taken is given up, and said with the one taken in its place', async () => {
  const { port, server } = await listening();
  const other = await freePort();
  const again = await chosen([undefined, port, port, other], port, 100);
  expect(again).toEqual({ port: other, said: [`port ${port} is taken: the API takes ${other}`] });
  server.close();
});

test('a port that is wanted for the first time is not waited for', async () => {
  const { port, server } = await listening();
  const { port: instead, said } = await chosen([port]);
  expect(instead).not.toBe(port);
  expect(said).toEqual([`port ${port} is taken: the API takes ${instead}`]);
  server.close();
});

test('a port that a setting names is never exchanged for another one', async () => {
  const { port, server } = await listening();
  const taken = setPort('the API', 'API_PORT', port, 100);
  await expect(taken).rejects.toThrow(SetPortTaken);
  await expect(taken).rejects.toThrow(`port ${port} of API_PORT is taken`);
  setTimeout(() => server.close(), 200);
  expect(await setPort('the API', 'API_PORT', port, 60_000)).toBe(port);
  expect(await setPort('the API', 'API_PORT', 0)).toBeGreaterThan(0);
});
