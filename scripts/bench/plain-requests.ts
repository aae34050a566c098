import { connect } from 'node:net';

/** A read that is sent repeatedly. */
export interface PlainRequest {
  /** `http://<address>:<port>` */
  base: string;
  path: string;
  headers: Readonly<Record<string, string>>;
  /** Total number of requests over all connections. */
  count: number;
  connections: number;
  /** The expected status; default: 200. */
  status?: number;
}

const END_OF_HEAD = '\r\n\r\n';
/** End of a chunked response. Compact JSON contains no line breaks, so this cannot occur earlier. */
const LAST_CHUNK = '0\r\n\r\n';

/**
 * Sends requests as fast as responses arrive: each connection sends the next request after a response. Only status and end
 * of a response are parsed, because Node's own client takes longer for a small response than the measured API.
 * @throws on another status than the expected one, and if a connection closes
 */
export async function askPlainly({
  base,
  path,
  headers,
  count,
  connections,
  status = 200,
}: PlainRequest): Promise<void> {
  const { hostname, port, host } = new URL(base);
  const lines = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}`);
  const request = `GET ${path} HTTP/1.1\r\n${lines.join('\r\n')}${END_OF_HEAD}`;
  let left = count;

  const askOverOne = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect({ host: hostname, port: Number(port), noDelay: true });
      let received: Buffer = Buffer.alloc(0);
      const next = () => {
        received = Buffer.alloc(0);
        left -= 1;
        if (left >= 0) return void socket.write(request);
        resolve();
        socket.destroy();
      };
      socket.once('connect', next);
      socket.once('error', reject);
      socket.once('close', () => reject(new Error(`The connection ended during the request of ${path}.`)));
      socket.on('data', (bytes) => {
        received = Buffer.concat([received, bytes]);
        const head = received.subarray(0, Math.max(0, received.indexOf(END_OF_HEAD))).toString('latin1');
        if (head === '') return;
        if (!head.startsWith(`HTTP/1.1 ${status} `)) reject(new Error(`The response to ${path} was ${head}`));
        else if (isWhole(received, head)) next();
      });
    });
  await Promise.all(Array.from({ length: connections }, askOverOne));
}

function isWhole(answer: Buffer, head: string): boolean {
  if (head.startsWith('HTTP/1.1 304 ')) return true; // it never has a body
  const length = /^content-length: (\d+)/im.exec(head)?.[1];
  if (length !== undefined) return answer.length === head.length + END_OF_HEAD.length + Number(length);
  return answer.subarray(-LAST_CHUNK.length).equals(Buffer.from(LAST_CHUNK));
}
