import { readdirSync, readFileSync } from 'node:fs';
import { transformSync } from '@swc/wasm-typescript';

const folder = new URL('./inside/', import.meta.url);
export const PLANNER_FILE = 'inside/planner.ts';

const sources = new Map(
  readdirSync(folder).map((name) => {
    const typed = readFileSync(new URL(name, folder), 'utf8');
    return [`inside/${name}`, transformSync(typed, { mode: 'strip-only', module: true }).code];
  }),
);

/** The JavaScript of a file of `inside/`, as QuickJS asks for it. */
export function insideSource(name: string): string {
  const source = sources.get(name);
  if (source === undefined) throw new Error(`an isolate asks for ${name}`);
  return source;
}
