import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export type TcpProxy = Awaited<ReturnType<typeof openProxy>>;

/** A way to `target` (host:port) that can be held up, cut and led elsewhere as networks do it. */
export async function openProxy(target: string) {
  let [host, port] = target.split(':');
  const clients = new Set<Socket>();
  const ways = new Map<Socket, Socket>();
  let state: 'open' | 'held' | 'cut' = 'open';
  const held: { to: Socket; bytes: Buffer }[] = [];

  function carry(from: Socket, to: Socket): void {
    from.on('data', (bytes) => {
      if (state === 'open') to.write(bytes);
      else held.push({ to, bytes });
    });
    // A client that is cut off receives no error.
    from.on('error', () => from.destroy());
    from.on('close', () => state !== 'cut' && to.destroy());
  }

  const server = createServer((client) => {
    clients.add(client);
    client.on('error', () => client.destroy());
    client.on('close', () => {
      clients.delete(client);
      ways.delete(client);
    });
    if (state === 'cut') return;
    const way = connect(Number(port), host);
    ways.set(client, way);
    carry(client, way);
    carry(way, client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the proxy has no port');

  return {
    address: `127.0.0.1:${address.port}`,

    /** Holds back every byte in both directions, so that each side believes that the other only takes long. */
    hold() {
      state = 'held';
    },

    /** Clients reach nothing and hear nothing, while the target sees their connections end. */
    cut() {
      state = 'cut';
      for (const way of ways.values()) way.destroy();
      ways.clear();
    },

    /** Delivers what was held back, and lets through what follows; connections that were cut end then. */
    mend() {
      const wasCut = state === 'cut';
      state = 'open';
      for (const { to, bytes } of held.splice(0)) if (to.writable) to.write(bytes);
      if (wasCut) for (const client of clients) if (!ways.has(client)) client.end();
    },

    /** Ends all connections; new ones lead to another server. */
    switchTo(other: string) {
      [host, port] = other.split(':');
      for (const socket of [...clients, ...ways.values()]) socket.destroy();
    },

    async close() {
      for (const socket of [...clients, ...ways.values()]) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
