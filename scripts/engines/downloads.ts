import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { chmod, copyFile, mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { onPath, run } from './commands.ts';
import { type Report, reasonOf } from './types.ts';

export const MONGOD_VERSION = '7.0.40';

/** Without a response within this time, the server counts as unreachable. */
const CONNECT_TIMEOUT_MS = 4_000;
/** A transfer without progress for this time is aborted. */
const STALL_TIMEOUT_MS = 20_000;
const PROGRESS_EVERY_MS = 3_000;

/**
 * Downloads Temporal's official CLI, whose `server start-dev` is the server, as `<into>/temporal`.
 * @param from the vendor's server; tests have one of their own
 */
export async function downloadTemporal(
  version: string,
  into: string,
  report: Report,
  from = 'https://temporal.download',
): Promise<void> {
  const platform = process.platform === 'darwin' ? 'darwin' : 'linux';
  const arch = process.arch === 'arm64' ? 'arm64' : 'amd64';
  const url = `${from}/cli/archive/v${version}?platform=${platform}&arch=${arch}`;
  await mustAnswer(url);
  const archive = join(into, 'temporal.tar.gz');
  await downloadFile(url, archive, `Temporal CLI ${version}`, report);
  report(
    `Temporal CLI ${version}: unverified, the vendor publishes no checksum here; SHA-256 ${await sha256Of(archive)}`,
  );
  await run('tar', ['-xzf', archive, '-C', into, 'temporal']);
  await rm(archive);
}

async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

/** Downloads MongoDB's server as `<into>/mongod`. @throws Error if the archive does not have the checksum that the vendor publishes */
export async function downloadMongod(into: string, report: Report): Promise<void> {
  // Only for the address: the library's own download accepts any certificate.
  const [{ MongoBinaryDownloadUrl }, { getOS }] = await Promise.all([
    import('mongodb-memory-server-core/lib/util/MongoBinaryDownloadUrl.js'),
    import('mongodb-memory-server-core/lib/util/getos/index.js'),
  ]);
  const { platform, arch } = process;
  const wanted = { version: MONGOD_VERSION, platform, arch, os: await getOS() };
  const url = await new MongoBinaryDownloadUrl(wanted).getDownloadUrl();
  await mustAnswer(url);
  const directory = join(into, 'download');
  await mkdir(directory);
  const [archive, checksum] = [join(directory, 'archive'), join(directory, 'checksum')];
  const title = `MongoDB ${MONGOD_VERSION}`;
  await downloadFile(url, archive, title, report);
  await downloadFile(`${url}.sha256`, checksum, `the checksum of ${title}`, report);
  const [published = ''] = (await readFile(checksum, 'utf8')).trim().toLowerCase().split(/\s/);
  if (published !== (await sha256Of(archive))) {
    throw new Error(`${title}: the archive does not have the published checksum; nothing was installed`);
  }
  report(`${title}: verified, SHA-256 ${published}`);
  const content = join(directory, 'content');
  await mkdir(content);
  await run('tar', ['-xzf', archive, '-C', content, '--strip-components', '1']);
  const program = join(into, 'mongod');
  await copyFile(join(content, 'bin', 'mongod'), program);
  await chmod(program, 0o755);
  await rm(directory, { recursive: true, force: true });
}

/** Checks that a server is reachable. Any response counts, even an error status. */
async function mustAnswer(url: string): Promise<void> {
  // The download shows whether the proxy reaches the server.
  if (proxyFor(url) !== null) return;
  try {
    await fetch(new URL(url).origin, { method: 'HEAD', signal: AbortSignal.timeout(CONNECT_TIMEOUT_MS) });
  } catch (error) {
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    throw new Error(`${new URL(url).host} does not answer (${reasonOf(cause)})`);
  }
}

/** The proxy that the environment names for an address, or null. Node.js follows these variables only in later versions. */
export function proxyFor(url: string, environment: NodeJS.ProcessEnv = process.env): string | null {
  const { protocol, hostname } = new URL(url);
  const named = (name: string) => environment[name.toLowerCase()] || environment[name.toUpperCase()] || null;
  const excluded = (named('no_proxy') ?? '').split(',').map((each) => each.trim().replace(/^\*?\./, ''));
  const isExcluded = excluded.some(
    (each) => each === '*' || (each !== '' && (hostname === each || hostname.endsWith(`.${each}`))),
  );
  return isExcluded
    ? null
    : (named(protocol === 'https:' ? 'https_proxy' : 'http_proxy') ?? named('all_proxy'));
}

/** Downloads an address to a file and reports progress. Through a proxy, curl does it. */
export async function downloadFile(url: string, file: string, title: string, report: Report): Promise<void> {
  const proxy = proxyFor(url);
  if (proxy !== null) {
    const curl = await onPath('curl');
    if (curl === null) throw new Error('curl is not installed, which downloads through the proxy');
    report(`downloading ${title} through the proxy`);
    const stall = ['--speed-limit', '1', '--speed-time', String(STALL_TIMEOUT_MS / 1000)];
    const options = ['--fail', '--location', '--silent', '--show-error', '--connect-timeout', '4', ...stall];
    await run(curl, [...options, '--proxy', proxy, '--output', file, '--', url]);
    return;
  }
  const stalled = new AbortController();
  const timer = setTimeout(() => stalled.abort(new Error('the transfer stands still')), STALL_TIMEOUT_MS);
  try {
    const response = await fetch(url, { signal: stalled.signal });
    if (!response.ok || response.body === null) {
      throw new Error(`${new URL(url).host} answered ${response.status}`);
    }
    const total = Number(response.headers.get('content-length') ?? 0);
    let received = 0;
    let toldAt = 0;
    const meter = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        timer.refresh();
        received += chunk.length;
        if (Date.now() - toldAt >= PROGRESS_EVERY_MS) {
          toldAt = Date.now();
          report(
            `downloading ${title}: ${megabytes(received)}${total > 0 ? ` of ${megabytes(total)}` : ''} MB`,
          );
        }
        done(null, chunk);
      },
    });
    await pipeline(Readable.fromWeb(response.body), meter, createWriteStream(file), {
      signal: stalled.signal,
    });
  } finally {
    clearTimeout(timer);
  }
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(0);
}
