import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { expect, test } from 'vitest';
import { askPlainly } from '../../../scripts/bench/plain-requests.ts';

async function asked(path: string, answer: RequestListener): Promise<string[]> {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.headers.authorization} ${request.url}`);
    answer(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  try {
    const headers = { authorization: 'Bearer x' };
    await askPlainly({ base: `http://127.0.0.1:${port}`, path, headers, count: 7, connections: 3 });
    return seen;
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test('a read is asked as often as was said, whether its answer says its length or comes in pieces', async () => {
  const whole = await asked('/whole', (_request, response) => response.end('{"a":1}'));
  const pieces = await asked('/pieces', (_request, response) => {
    response.write('{"a":');
    setImmediate(() => response.end(`"${'x'.repeat(100_000)}"}`));
  });
  expect(whole).toEqual(Array.from({ length: 7 }, () => 'Bearer x /whole'));
  expect(pieces).toHaveLength(7);
});

test('a read that is refused, or whose connection ends, fails', async () => {
  const refused = asked('/refused', (_request, response) => response.writeHead(403).end());
  await expect(refused).rejects.toThrow('403');
  const cut = asked('/cut', (_request, response) => response.destroy());
  await expect(cut).rejects.toThrow();
});
