/** The location of each task's code, for the page of all tasks. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { packageRoot } from '../shared/kernel/package-root.ts';

/** Paths from the root of the repository. */
export interface TaskCode {
  folder: string;
  /** The files of `shared/science/fitting` whose fits its analysis calls, its family's first. */
  fits: readonly string[];
}

const TASKS = 'shared/tasks';
const SHARED_ANALYSIS = `${TASKS}/common/analysis/`;
const FITTING = 'shared/science/fitting/';
/** Judges a fit that another file made. */
const JUDGING = `${FITTING}residuals.ts`;
const IMPORTED_VALUES = /import \{([^}]*)\} from '(\.[^']+)'/g;

function textOf(file: string): string {
  return readFileSync(new URL(file, packageRoot), 'utf8');
}

function filesOf(folder: string, part: string): string[] {
  return readdirSync(new URL(folder, packageRoot))
    .filter((name) => name.endsWith('.ts') && name.includes(part))
    .map((name) => join(folder, name));
}

/** The files of fits that can be reached from a family's analysis by its own files and those that families share. */
function fitsOf(folder: string): string[] {
  const fits = new Set<string>();
  const seen = new Set<string>();
  const follow = (file: string) => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const [, names = '', from = ''] of textOf(file).matchAll(IMPORTED_VALUES)) {
      const imported = join(dirname(file), from);
      if (imported.startsWith(FITTING)) {
        if (/\bfit[A-Z]/.test(names) && imported !== JUDGING) fits.add(imported);
      } else if (imported.startsWith(`${folder}/`) || imported.startsWith(SHARED_ANALYSIS)) {
        follow(imported);
      }
    }
  };
  for (const file of filesOf(folder, 'analysis')) follow(file);
  return [...fits];
}

/** The code of every task that a family of `shared/tasks` defines, by the task's name. */
export function taskCode(names: readonly string[]): Map<string, TaskCode> {
  const families = readdirSync(new URL(TASKS, packageRoot), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => {
      const folder = join(TASKS, name);
      return { folder, definitions: filesOf(folder, 'definition').map(textOf).join('\n') };
    });
  return new Map(
    names.flatMap((name) => {
      const family = families.find(({ definitions }) => definitions.includes(`'${name}'`));
      return family ? [[name, { folder: family.folder, fits: fitsOf(family.folder) }]] : [];
    }),
  );
}
