/**
 * Holds the house's layers: imports go down only, areas of shared/ keep to each other's models and rules,
 * and what workflows import at run time is pure. Prints each breach with file and line; exits with 1.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const folders = ['api', 'workflows', 'activities', 'workers', 'shared'] as const;
type Folder = (typeof folders)[number];

/** What a folder's files may import when the import is code, and when it is only types. */
const mayImport: Record<Folder, { code: readonly Folder[]; types: readonly Folder[] }> = {
  api: { code: ['api', 'shared'], types: ['activities', 'workflows'] },
  workflows: { code: ['workflows', 'shared'], types: ['activities'] },
  activities: { code: ['activities', 'shared'], types: ['workflows'] },
  workers: { code: ['workers', 'activities', 'workflows', 'shared'], types: [] },
  shared: { code: ['shared'], types: [] },
};

/** Files that bring areas together; they alone import the stores of several areas. */
const namedOperations = new Set(['shared/domain/assembly.ts', 'shared/domain/collections.ts']);

/** Packages that are pure and deterministic inside a workflow. */
const workflowPackages = new Set(['@temporalio/workflow', '@temporalio/common']);

const LINE_LIMIT = 400;

export interface Import {
  line: number;
  source: string;
  typesOnly: boolean;
}

/** The imports and re-exports of a TypeScript text. */
export function importsOf(text: string): Import[] {
  const pattern =
    /^[ \t]*(?:import|export)\b([^'";]*?)\bfrom\s*['"]([^'"]+)['"]|^[ \t]*import\s*['"]([^'"]+)['"]/gm;
  return [...text.matchAll(pattern)].map((match) => {
    const clause = match[1] ?? '';
    const named = /^\s*\{([^}]*)\}\s*$/.exec(clause)?.[1];
    const names =
      named
        ?.split(',')
        .map((name) => name.trim())
        .filter((name) => name !== '') ?? [];
    return {
      line: text.slice(0, match.index).split('\n').length,
      source: match[2] ?? match[3] ?? '',
      typesOnly:
        /^\s*type\b/.test(clause) || (names.length > 0 && names.every((name) => name.startsWith('type '))),
    };
  });
}

/** The file that a relative import means, from the root; null for packages. */
function target(file: string, source: string): string | null {
  return source.startsWith('.')
    ? normalize(join(dirname(file), source))
        .split(sep)
        .join('/')
    : null;
}

const folderOf = (file: string) => folders.find((folder) => file.startsWith(`${folder}/`));
const areaOf = (file: string) => /^shared\/([^/]+)\//.exec(file)?.[1];

/** Breaches of one file's own imports. */
export function breachesOf(file: string, text: string): string[] {
  const folder = folderOf(file);
  const breaches: string[] = [];
  const lines = text.split('\n').length - 1;
  if (lines > LINE_LIMIT) breaches.push(`${file}: ${lines} lines; split it by meaning (limit ${LINE_LIMIT})`);
  if (!folder) return breaches;
  for (const { line, source, typesOnly } of importsOf(text)) {
    const imported = target(file, source);
    if (imported === null) continue;
    const to = folderOf(imported);
    const allowed = mayImport[folder];
    if (!to) breaches.push(`${file}:${line}: imports ${imported}, which is no part of the product`);
    else if (!allowed.code.includes(to) && !(typesOnly && allowed.types.includes(to))) {
      breaches.push(`${file}:${line}: ${folder}/ must not import ${typesOnly ? 'types' : 'code'} of ${to}/`);
    }
    const area = areaOf(file);
    const otherStore =
      folder === 'shared' &&
      /(^|-)store\.ts$/.test(imported.split('/').at(-1) ?? '') &&
      areaOf(imported) !== area;
    if (otherStore && !typesOnly && !namedOperations.has(file)) {
      breaches.push(`${file}:${line}: another area's store (${imported}) belongs to a named operation`);
    }
  }
  return breaches;
}

/** Breaches in all that workflows import at run time, however far down. */
export function workflowBreaches(root: string, entry: string): string[] {
  const breaches: string[] = [];
  const seen = new Set<string>();
  const open = [entry];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (seen.has(file)) continue;
    seen.add(file);
    for (const { line, source, typesOnly } of importsOf(readFileSync(join(root, file), 'utf8'))) {
      if (typesOnly) continue;
      const imported = target(file, source);
      if (imported !== null) open.push(imported);
      else if (!workflowPackages.has(source)) {
        breaches.push(`${file}:${line}: workflows reach ${source} at run time; keep it to types`);
      }
    }
  }
  return breaches;
}

function sourcesIn(root: string, folder: string): string[] {
  const path = join(root, folder);
  if (!existsSync(path)) return [];
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))
    .map((name) => `${folder}/${name.split(sep).join('/')}`);
}

/** All breaches of a source tree. */
export function checkTree(root: string): string[] {
  const files = [...folders, 'scripts', 'test'].flatMap((folder) => sourcesIn(root, folder));
  return [
    ...files.flatMap((file) => breachesOf(file, readFileSync(join(root, file), 'utf8'))),
    ...workflowBreaches(root, 'workflows/index.ts'),
  ];
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const breaches = checkTree(fileURLToPath(new URL('..', import.meta.url)));
  for (const breach of breaches) console.error(breach);
  if (breaches.length > 0) process.exit(1);
  console.log('imports keep to the layers');
}
