import { access, constants, mkdir, readdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { cacheRoot } from './cache.ts';
import { run as runProgram, UTF8_PATHS } from './commands.ts';
import type { Report } from './types.ts';

const PROGRESS_EVERY_MS = 10_000;
/** Pinned, because Maven's default depends on its own version. */
const COPY_DEPENDENCIES = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies';
const MAVEN_CONNECT_TIMEOUT = [
  '-Daether.connector.connectTimeout=5000',
  '-Dmaven.wagon.http.retryHandler.count=1',
];
const JAVA_RELEASE = '17';

const run = (command: string, args: readonly string[], options: Parameters<typeof runProgram>[2] = {}) =>
  runProgram(command, args, { ...options, env: { ...process.env, ...options.env, ...UTF8_PATHS } });

/** Number of packages of the Temporal CLI with its dependencies, from `go list -deps`. */
const TEMPORAL_PACKAGES = 1300;

/** Progress of a build after the given seconds, with an estimate of the remaining time. Cached packages are not compiled. */
export function buildProgress(seconds: number, compiled: number): string {
  const done = Math.min(compiled, TEMPORAL_PACKAGES);
  const soFar = `${Math.round(seconds)} s, ${done} of at most ${TEMPORAL_PACKAGES} packages`;
  if (done === 0) return soFar;
  const left = (seconds * (TEMPORAL_PACKAGES - done)) / done;
  return left < 30 ? `${soFar}, nearly done` : `${soFar}, ${Math.ceil(left / 60)} min left at most`;
}

/** Where build tools keep downloaded packages, as settings of Go and of Maven; empty if they can use the home directory. */
async function ownToolCaches(): Promise<{ go: NodeJS.ProcessEnv; maven: readonly string[] }> {
  try {
    await access(homedir(), constants.W_OK);
    return { go: {}, maven: [] };
  } catch {
    const packages = join(cacheRoot(), 'packages');
    return {
      go: { GOPATH: join(packages, 'go'), GOCACHE: join(packages, 'go-build'), GOFLAGS: '-modcacherw' },
      maven: [`-Dmaven.repo.local=${join(packages, 'maven')}`],
    };
  }
}

/** Builds Temporal's official CLI from the Go module proxy as `<into>/temporal`. */
export async function buildTemporal(version: string, into: string, report: Report): Promise<void> {
  report(
    `building Temporal CLI ${version} with Go, once: two to five minutes on two cores; the API serves meanwhile`,
  );
  const caches = await ownToolCaches();
  const since = Date.now();
  let toldAt = since;
  let packages = 0;
  // -v names each package as it is compiled
  const args = ['install', '-v', '-ldflags=-s -w', `github.com/temporalio/cli/cmd/temporal@v${version}`];
  await run('go', args, {
    cwd: into,
    // As the vendor builds it. With C's look-up of users it would refuse one without an entry in passwd.
    env: { ...caches.go, ...process.env, GOBIN: into, CGO_ENABLED: '0' },
    onLine: (line) => {
      packages += line.startsWith('go: ') ? 0 : 1;
      if (Date.now() - toldAt >= PROGRESS_EVERY_MS) {
        toldAt = Date.now();
        report(`building Temporal CLI: ${buildProgress((toldAt - since) / 1000, packages)}`);
      }
    },
  });
}

/** Builds the embedded store from its sources into `<into>/classes`, with its dependencies in `<into>/lib`. */
export async function buildJavaStore(sources: string, into: string, report: Report): Promise<void> {
  report('building the embedded store with Maven and javac, once; seconds');
  const lib = join(into, 'lib');
  const classes = join(into, 'classes');
  await mkdir(classes, { recursive: true });
  const caches = await ownToolCaches();
  await run('mvn', [
    '--quiet',
    '--batch-mode',
    '--file',
    join(sources, 'pom.xml'),
    ...MAVEN_CONNECT_TIMEOUT,
    ...caches.maven,
    COPY_DEPENDENCIES,
    '-DincludeScope=runtime',
    `-DoutputDirectory=${lib}`,
  ]);
  const files = (await readdir(join(sources, 'src'), { recursive: true }))
    .filter((file) => file.endsWith('.java'))
    .map((file) => join(sources, 'src', file));
  const options = ['--release', JAVA_RELEASE, '-encoding', 'UTF-8', '-cp', join(lib, '*'), '-d', classes];
  await run('javac', [...options, ...files]);
}
