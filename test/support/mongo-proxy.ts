import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { BSON, type Document } from 'mongodb';

const { deserialize, serialize } = BSON;

const OP_REPLY = 1;
const OP_QUERY = 2004;
const OP_MSG = 2013;
const HEADER_BYTES = 16;

/** A command on its way to the server. */
export interface ProxiedCommand {
  /** As in the protocol: `insert`, `update`, `findAndModify` … */
  name: string;
  /** The collection that it names, if it names one. */
  collection: string;
  /** Without documents that travel beside the command. */
  body: Document;
}

/**
 * What happens to a command. `cut`: the connection ends before the server sees the command. `lose`: the server carries it
 * out, and the connection ends before the client gets the reply. `reply`: the server never sees it. `amend`: the server
 * carries it out, and the reply is changed.
 */
export type Fate =
  | 'pass'
  | 'cut'
  | 'lose'
  | { reply: Document }
  | { amend: (reply: Document) => Document }
  | { after: Promise<unknown> };

export type MongoProxy = Awaited<ReturnType<typeof openMongoProxy>>;

/**
 * A way to the store at `target` on which a test decides what happens to each command. As a replica set it describes
 * itself as the primary of one, and repeats the reply of a retryable write that comes a second time, as mongod does.
 */
export async function openMongoProxy(
  target: string,
  {
    replicaSet = false,
    decide = () => 'pass',
  }: { replicaSet?: boolean; decide?: (command: ProxiedCommand) => Fate } = {},
) {
  const upstream = new URL(target);
  const sockets = new Set<Socket>();
  const settled = new Map<string, Document>();
  let fateOf = decide;
  let own = '';

  /** The self-description of a replica set's primary. */
  function asPrimary(hello: Document): Document {
    return {
      ...hello,
      setName: SET_NAME,
      setVersion: 1,
      isWritablePrimary: true,
      ismaster: true,
      secondary: false,
      hosts: [own],
      primary: own,
      me: own,
      logicalSessionTimeoutMinutes: 30,
    };
  }

  const server = createServer((client) => {
    const way = connect(Number(upstream.port), upstream.hostname);
    const pending = new Map<number, (message: Buffer) => void>();
    for (const [socket, other] of [
      [client, way],
      [way, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }

    const isOver = () => client.destroyed || way.destroyed;

    /** Sends a reply to the client, in the form that its request had. */
    function answer(request: Buffer, reply: Document): void {
      if (isOver()) return;
      client.write(replyTo(request, reply));
    }

    async function take(request: Buffer): Promise<void> {
      const command = commandOf(request);
      const repeated = retryKey(command.body);
      const known = repeated === null ? undefined : settled.get(repeated);
      const fate = fateOf(command);
      if (typeof fate === 'object' && 'after' in fate) await fate.after;
      if (fate === 'cut') return void client.destroy();
      if (typeof fate === 'object' && 'reply' in fate) return answer(request, fate.reply);
      if (known) {
        if (fate === 'lose') return void client.destroy();
        return answer(request, typeof fate === 'object' && 'amend' in fate ? fate.amend(known) : known);
      }
      if (isOver()) return;
      pending.set(request.readInt32LE(4), (message) => {
        let reply = documentOf(message);
        if (repeated !== null && reply['ok'] === 1) settled.set(repeated, reply);
        if (fate === 'lose') return void client.destroy();
        if (replicaSet && /^(?:hello|ismaster)$/i.test(command.name)) reply = asPrimary(reply);
        else if (typeof fate === 'object' && 'amend' in fate) reply = fate.amend(reply);
        else return void (isOver() || client.write(message));
        answer(request, reply);
      });
      way.write(request);
    }

    onMessages(client, (message) => void take(message));
    onMessages(way, (message) => {
      const responseTo = message.readInt32LE(8);
      pending.get(responseTo)?.(message);
      pending.delete(responseTo);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the proxy has no port');
  own = `127.0.0.1:${address.port}`;

  return {
    /** Address for a client. */
    uri: `mongodb://${own}/?${replicaSet ? `replicaSet=${SET_NAME}` : 'directConnection=true'}`,

    /** From now on decides about each command; without one all of them pass. */
    decide(next: (command: ProxiedCommand) => Fate = () => 'pass'): void {
      fateOf = next;
    },

    /** Ends every connection; clients may connect again. */
    disconnect(): void {
      for (const socket of sockets) socket.destroy();
    },

    async close(): Promise<void> {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

const SET_NAME = 'proxy';

/** The reply of a server that refuses a command. */
export function refusal(code: number, codeName: string, labels: readonly string[] = []): Document {
  return { ok: 0, code, codeName, errmsg: `refused by the proxy: ${codeName}`, errorLabels: labels };
}

/** A reply of a write that was made, but not confirmed as it was requested. */
export function withWriteConcernError(code: number, codeName: string): (reply: Document) => Document {
  return (reply) => ({
    ...reply,
    writeConcernError: { code, codeName, errmsg: `told by the proxy: ${codeName}` },
  });
}

function onMessages(socket: Socket, take: (message: Buffer) => void): void {
  // Chunks are joined only when a message is complete: joining at each chunk copies a large message hundreds of times.
  let chunks: Buffer[] = [];
  let received = 0;
  let needed = HEADER_BYTES;
  socket.on('data', (more) => {
    chunks.push(more);
    received += more.length;
    while (received >= needed) {
      const bytes = Buffer.concat(chunks);
      const length = bytes.readInt32LE(0);
      const isWhole = bytes.length >= length;
      if (isWhole) take(bytes.subarray(0, length));
      const rest = isWhole ? bytes.subarray(length) : bytes;
      chunks = rest.length > 0 ? [rest] : [];
      received = rest.length;
      needed = isWhole ? HEADER_BYTES : length;
    }
  });
}

/** Where the first document of a message begins. */
function bodyStart(message: Buffer): number {
  const kind = message.readInt32LE(12);
  if (kind === OP_MSG) return sectionStart(message);
  if (kind === OP_REPLY) return HEADER_BYTES + 20;
  if (kind !== OP_QUERY) throw new Error(`the proxy does not know messages of kind ${kind}`);
  return message.indexOf(0, HEADER_BYTES + 4) + 1 + 8;
}

/** The section of a message that holds the command; documents of a bulk may come before it. */
function sectionStart(message: Buffer): number {
  let at = HEADER_BYTES + 4;
  while (message[at] === 1) at += 1 + message.readInt32LE(at + 1);
  return at + 1;
}

function documentOf(message: Buffer): Document {
  const start = bodyStart(message);
  return deserialize(message.subarray(start, start + message.readInt32LE(start)), { promoteValues: true });
}

function commandOf(message: Buffer): ProxiedCommand {
  const body = documentOf(message);
  const name = Object.keys(body)[0] ?? '';
  return { name, collection: String(body[name]), body };
}

/** What identifies a retryable write; null for other commands. */
function retryKey(body: Document): string | null {
  if (body['txnNumber'] === undefined) return null;
  return `${body['lsid']?.id?.toString('hex')} ${body['txnNumber']}`;
}

let nextRequest = 1;

/** A message that replies to a request with a document. */
function replyTo(request: Buffer, reply: Document): Buffer {
  const document = serialize(reply);
  const isQuery = request.readInt32LE(12) === OP_QUERY;
  const head = Buffer.alloc(isQuery ? HEADER_BYTES + 20 : HEADER_BYTES + 5);
  head.writeInt32LE(head.length + document.length, 0);
  head.writeInt32LE(nextRequest++, 4);
  head.writeInt32LE(request.readInt32LE(4), 8);
  head.writeInt32LE(isQuery ? OP_REPLY : OP_MSG, 12);
  if (isQuery) {
    head.writeInt32LE(8, HEADER_BYTES);
    head.writeInt32LE(1, HEADER_BYTES + 16);
  }
  return Buffer.concat([head, document]);
}
