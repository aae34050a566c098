import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

const HOST = '127.0.0.1';

/** Headers that concern one connection, and the token, which Temporal's server would take for its own. */
const NOT_PASSED_ON = ['authorization', 'connection', 'keep-alive', 'proxy-authorization', 'upgrade'];

/** Columns that a browser sees in lists of workflows before it has chosen its own: those of the UI, and which run it is. */
const COLUMNS = ['Status', 'FlowName', 'ChipId', 'ExecutionId', 'Workflow ID', 'Type', 'Start', 'End'];
/** Where the UI keeps the columns of a browser (2.42.1). It takes none from an address. */
const COLUMNS_KEY = 'namespace-workflow-table-columns';

export type UiProxy = ReturnType<typeof createUiProxy>;

/**
 * A proxy in front of Temporal's web interface, which has no sign-in of its own. The proxy asks for the token as the password of
 * HTTP basic authentication, with any username, and passes requests with it on.
 */
export function createUiProxy(token: string, namespace: string) {
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
        if (isAllowed(asked)) passOn(asked, answer, { port: innerPort, namespace });
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

function passOn(
  asked: IncomingMessage,
  answer: ServerResponse,
  { port, namespace }: { port: number; namespace: string },
): void {
  const isPage = asked.headers.accept?.includes('text/html') ?? false;
  const left = isPage ? [...NOT_PASSED_ON, 'accept-encoding'] : NOT_PASSED_ON;
  const headers = Object.fromEntries(Object.entries(asked.headers).filter(([name]) => !left.includes(name)));
  const { method, url } = asked;
  const passed = request({ host: HOST, port, method, path: url, headers }, (inner) => {
    const type = inner.headers['content-type'] ?? '';
    if (isPage && type.startsWith('text/html') && !inner.headers['content-encoding']) {
      void sendWithColumns(inner, answer, namespace);
      return;
    }
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

/** Adds the columns to a page, for a browser that has none of its own for the namespace. */
async function sendWithColumns(
  inner: IncomingMessage,
  answer: ServerResponse,
  namespace: string,
): Promise<void> {
  const page = await text(inner);
  const { 'content-length': _length, etag: _tag, ...headers } = inner.headers;
  const columns = JSON.stringify({ [namespace]: COLUMNS.map((label) => ({ label })) });
  const script = `<script>try{const k=${JSON.stringify(COLUMNS_KEY)};localStorage.setItem(k,JSON.stringify({...${columns},...JSON.parse(localStorage.getItem(k)??"{}")}))}catch{}</script>`;
  answer.writeHead(inner.statusCode ?? 502, headers);
  // Before the scripts of the UI, which read the columns.
  answer.end(page.replace('<head>', () => `<head>${script}`));
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
