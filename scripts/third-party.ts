/**
 * The software of others that Calibron installs, with its licences, from the lock file and the embedded store's pom.
 * Run, it prints THIRD_PARTY.md.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { z } from 'zod';
import { packageRoot } from '../shared/kernel/package-root.ts';

const ROOT = fileURLToPath(packageRoot);

const names = z.record(z.string(), z.string()).default({});
const lockedPackage = z.object({
  name: z.string().optional(),
  version: z.string().optional(),
  license: z.string().optional(),
  dependencies: names,
  optionalDependencies: names,
  devDependencies: names,
  peerDependencies: names,
});
type LockedPackage = z.infer<typeof lockedPackage>;
const lockFile = z.object({ packages: z.record(z.string(), lockedPackage) });

/** A package with the licence under which it is used. */
export interface ThirdParty {
  name: string;
  version: string;
  licence: string;
}

/** Licences of packages whose package.json has none, or only names a file. Read in the files named LICENSE of each. */
const LICENCE_OF: Record<string, string> = {
  'dejavu-fonts-ttf': 'Bitstream Vera and Arev licences, changes in the public domain',
  h5wasm: 'notice of NIST (public domain), HDF5 under BSD-3-Clause',
  'png-js': 'MIT',
  unionfs: 'Unlicense',
};

/**
 * Licences that ask for a notice at most, or (LGPL, MPL) for the source of their own files only. A package with another one
 * needs a decision before it is used.
 */
export const ACCEPTED_LICENCES: readonly string[] = [
  '0BSD',
  'AFL-2.1',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC-BY-4.0',
  'CC0-1.0',
  'EPL-1.0',
  'ISC',
  'LGPL-3.0-or-later',
  'MIT',
  'MPL-2.0',
  'Python-2.0',
  'Unlicense',
];

/** Whether every licence of an SPDX expression, or of a package that was read by hand, is accepted. */
export function isAccepted({ name, licence }: ThirdParty): boolean {
  if (LICENCE_OF[name] === licence) return true;
  const parts = licence.replaceAll(/[()]/g, '').split(/ (?:AND|OR) /);
  return parts.every((part) => ACCEPTED_LICENCES.includes(part));
}

/** Packages that the service installs, and those of which the console's files consist. */
export function installedPackages(): { service: ThirdParty[]; console: ThirdParty[] } {
  const { packages } = lockFile.parse(JSON.parse(readFileSync(`${ROOT}/package-lock.json`, 'utf8')));
  const root = packages[''];
  if (root === undefined) throw new Error('package-lock.json has no entry of this package.');
  const own = Object.keys({ ...root.dependencies, ...root.optionalDependencies });
  return {
    service: listed(packages, reachedFrom(packages, own)),
    console: listed(packages, reachedFrom(packages, importsOf(`${ROOT}/console/src`))),
  };
}

/** Paths in the lock file of packages and of all that they need. */
function reachedFrom(packages: Record<string, LockedPackage>, direct: readonly string[]): Set<string> {
  const reached = new Set<string>();
  const open = direct.map((name) => ({ from: '', name }));
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const path = resolve(packages, next);
    if (path === null || reached.has(path)) continue;
    reached.add(path);
    const { dependencies, optionalDependencies, peerDependencies } = packages[path] ?? {};
    const needed = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies });
    open.push(...needed.map((name) => ({ from: path, name })));
  }
  return reached;
}

/** Where Node.js finds a package from another one; null if it is not installed, as an optional peer may be. */
function resolve(
  packages: Record<string, LockedPackage>,
  { from, name }: { from: string; name: string },
): string | null {
  for (let directory = from; ; directory = directory.slice(0, directory.lastIndexOf('node_modules/'))) {
    const within = directory.replace(/\/$/, '');
    const path = within === '' ? `node_modules/${name}` : `${within}/node_modules/${name}`;
    if (packages[path] !== undefined) return path;
    if (within === '') return null;
  }
}

/** Names of the packages that the sources in a directory import. */
function importsOf(directory: string): string[] {
  const sources = readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(tsx?|css)$/.test(file) && !/\.test\./.test(file))
    .map((file) => readFileSync(`${directory}/${file}`, 'utf8'));
  const specifiers = sources.flatMap((source) =>
    Array.from(
      source.matchAll(/(?:from|import|@import)\s*\(?\s*['"]([^'".][^'"]*)['"]/g),
      ([, name = '']) => name,
    ),
  );
  const packages = specifiers.map((specifier) => {
    const [first = '', second = ''] = specifier.split('/');
    return first.startsWith('@') ? `${first}/${second}` : first;
  });
  return [...new Set(packages)].filter((name) => !name.startsWith('node:') && !builtinModules.includes(name));
}

function listed(packages: Record<string, LockedPackage>, paths: Set<string>): ThirdParty[] {
  const found = new Map<string, ThirdParty>();
  for (const path of paths) {
    const { version = '', license, name: alias } = packages[path] ?? {};
    const name = alias ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    const licence = LICENCE_OF[name] ?? license ?? 'unknown';
    found.set(`${name}@${version}`, { name, version, licence });
  }
  return [...found.values()].sort((a, b) => compare(a.name, b.name) || compare(a.version, b.version));
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

/** What Maven installs for the embedded store, beside versions from its pom: licences as in the projects' own poms. */
const MAVEN: readonly { name: string; property: string | null; licence: string }[] = [
  { name: 'de.bwaldvogel:mongo-java-server', property: 'mongo-java-server.version', licence: 'BSD-3-Clause' },
  { name: 'com.h2database:h2-mvstore', property: null, licence: 'MPL-2.0 OR EPL-1.0' },
  { name: 'io.netty', property: 'netty.version', licence: 'Apache-2.0' },
  { name: 'org.slf4j', property: 'slf4j.version', licence: 'MIT' },
];

/** Packages of the embedded store, which Maven installs where no MongoDB is. */
export function storePackages(): ThirdParty[] {
  const pom = readFileSync(`${ROOT}/packages/embedded-store/pom.xml`, 'utf8');
  return MAVEN.map(({ name, property, licence }) => {
    const version =
      property === null ? null : new RegExp(`<${property}>([^<]+)</${property}>`).exec(pom)?.[1];
    if (version === undefined) throw new Error(`The embedded store's pom has no ${property}.`);
    return { name, version: version ?? 'as mongo-java-server requires', licence };
  });
}

function table(packages: readonly ThirdParty[]): string {
  const rows = packages.map(({ name, version, licence }) => `| ${name} | ${version} | ${licence} |`);
  return ['| package | version | licence |', '|---|---|---|', ...rows].join('\n');
}

/** The whole page, in Markdown. */
export function thirdPartyPage(): string {
  const { service, console: ofConsole } = installedPackages();
  return `# Software of others

Calibron is under the [Apache License 2.0](LICENSE). It uses the packages below, each under its own licence, which is in the
package. \`npm run third-party\` writes this page; a test keeps it fresh, and refuses a licence that is not on the list in
\`scripts/third-party.ts\`.

Not listed: packages for development, which are not in the image; Node.js (MIT), Temporal (MIT), MongoDB (SSPL) and PostgreSQL
(PostgreSQL licence), which are programs of their own; the Python package's dependencies, which pip installs
(\`python/pyproject.toml\`).

## The service

${service.length} packages. Those for other platforms are listed too. libvips (LGPL) is a library of its own, and can be replaced.

${table(service)}

## The console

${ofConsole.length} packages, of which parts are in the files under \`/console/\`.

${table(ofConsole)}

## The embedded store

${table(storePackages())}
`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) console.log(thirdPartyPage().trimEnd());
