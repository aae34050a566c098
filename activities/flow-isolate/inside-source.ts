import { readdirSync, readFileSync } from 'node:fs';
import { transformSync } from '@swc/wasm-typescript';
import { packageRoot } from '../../shared/kernel/package-root.ts';

const INSIDE_FOLDER = 'activities/flow-isolate/inside/';
export const PLANNER_FILE = `${INSIDE_FOLDER}planner.ts`;

/** What the isolate holds besides its own folder: pure, and needed on both sides. */
const shared = ['shared/kernel/near-names.ts'];

const sources = new Map(
  [...readdirSync(new URL(INSIDE_FOLDER, packageRoot)).map((name) => INSIDE_FOLDER + name), ...shared].map(
    (path) => {
      const typed = readFileSync(new URL(path, packageRoot), 'utf8');
      return [path, transformSync(typed, { mode: 'strip-only', module: true }).code];
    },
  ),
);

/** The JavaScript of a file of the isolate, as QuickJS asks for it. */
export function insideSource(name: string): string {
  const source = sources.get(name);
  if (source === undefined) throw new Error(`an isolate asks for ${name}`);
  return source;
}
