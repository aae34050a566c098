import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { compiledModule } from './package-root.ts';

const compiled = compiledModule('').href;

/**
 * Lets the stacks of errors tell of our source files and their lines, not of the compiled ones. A source map is read when
 * a stack that needs it is; Node.js itself (`--enable-source-maps`) reads those of all packages at every start, for a
 * quarter of a second of a core. A program that runs from its sources has what its loader says.
 */
export function tellSourcePositions(): void {
  if (!import.meta.url.startsWith(compiled)) return;
  const maps = new Map<string, SourceMap | null>();

  function mapOf(file: string): SourceMap | null {
    let map = maps.get(file);
    if (map === undefined) {
      map = readMap(file);
      maps.set(file, map);
    }
    return map;
  }

  Error.prepareStackTrace = (error, frames) => {
    const lines = frames.map((frame) => `\n    at ${positioned(frame, mapOf)}`);
    return `${headOf(error)}${lines.join('')}`;
  };
}

/** The frame as V8 writes it, with the place in the source where that is known. */
function positioned(frame: NodeJS.CallSite, mapOf: (file: string) => SourceMap | null): string {
  const text = String(frame);
  const [file, line, column] = [frame.getFileName(), frame.getLineNumber(), frame.getColumnNumber()];
  if (!file?.startsWith(compiled) || line === null || column === null) return text;
  // Both count from 0 in a source map.
  const origin = mapOf(file)?.findEntry(line - 1, column - 1);
  if (!origin || !('originalSource' in origin)) return text;
  const source = new URL(origin.originalSource, file).href;
  return text.replace(
    `${file}:${line}:${column}`,
    `${source}:${origin.originalLine + 1}:${origin.originalColumn + 1}`,
  );
}

function readMap(file: string): SourceMap | null {
  try {
    return new SourceMap(JSON.parse(readFileSync(new URL(`${file}.map`), 'utf8')));
  } catch {
    return null;
  }
}

/** An error may be anything that has a stack, and refuse to be told. */
function headOf(error: unknown): string {
  try {
    return String(error);
  } catch {
    return 'an error';
  }
}
