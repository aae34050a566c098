import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';

const HOST = '127.0.0.1';

/** Headers that concern one connection, and the token, which Temporal's server would take for its own. */
const NOT_PASSED_ON = ['authorization', 'connection', 'keep-alive', 'proxy-authorization', 'upgrade'];

export type UiProxy = ReturnType<typeof createUiProxy>;

/**
 * A proxy in front of Temporal's web interface, which has no sign-in of its own. The proxy asks for the token as the password of
 * HTTP basic authentication, with any username, and passes requests with it on.
 */
export function createUiProxy(token: string) {
  let server: Server | undefined;

  function isAllowed({ headers }: IncomingMessage): boolean {
    const [scheme = '', credentials = ''] = (headers.authorization ?? '').split(' ');
    if (scheme.toLowerCase() !== 'basic') return false;
    const given = Buffer.from(credentials, 'base64').toString('utf8');
    return timingSafeEqual(digestOf(given.slice(given.indexOf(':') + 1)), digestOf(token));
  }

  async function close(): Promise<void> {
    const closing = server;
    server = undefined;
    if (!closing?.listening) return;
    await new Promise((resolve) => {
      closing.close(resolve);
      closing.closeAllConnections();
    });
  }

  return {
    /**
     * Listens on a port of this machine for the web interface at another one. Replaces an earlier proxy.
     * @throws Error if the port is taken
     */
    async open(port: number, innerPort: number): Promise<void> {
      await close();
      const opened = createServer((asked, answer) => {
        if (isAllowed(asked)) passOn(asked, answer, innerPort);
        else refuse(answer);
      });
      server = opened;
      // Must not keep a process that ends.
      opened.unref();
      await new Promise<void>((resolve, reject) => {
        opened.once('error', reject);
        opened.listen(port, HOST, resolve);
      });
    },

    close,
  };
}

function refuse(answer: ServerResponse): void {
  answer
    .writeHead(401, {
      'www-authenticate': 'Basic realm="Temporal UI of Calibron", charset="UTF-8"',
      'content-type': 'text/plain; charset=utf-8',
    })
    .end('Sign in with any username; the password is the UI token that npm start shows.\n');
}

function passOn(asked: IncomingMessage, answer: ServerResponse, port: number): void {
  const headers = Object.fromEntries(
    Object.entries(asked.headers).filter(([name]) => !NOT_PASSED_ON.includes(name)),
  );
  const { method, url } = asked;
  const passed = request({ host: HOST, port, method, path: url, headers }, (inner) => {
    answer.writeHead(inner.statusCode ?? 502, inner.headers);
    inner.pipe(answer);
  });
  passed.once('error', () => {
    if (!answer.headersSent) answer.writeHead(502, { 'content-type': 'text/plain; charset=utf-8' });
    answer.end('The Temporal UI does not answer; npm start starts it again.\n');
  });
  answer.once('close', () => passed.destroy());
  asked.pipe(passed);
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
