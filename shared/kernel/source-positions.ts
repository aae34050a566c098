import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { compiledModule } from './package-root.ts';

const compiled = compiledModule('').href;

/**
 * Makes stack traces show source files and lines instead of compiled ones. A source map is read only when a stack trace
 * needs it. Node.js itself (`--enable-source-maps`) reads the maps of all packages at every start, which takes 0.25 s of
 * processor time. A program that runs from source is left to its loader.
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

/** The frame as formatted by V8, with the source position if it is known. */
function positioned(frame: NodeJS.CallSite, mapOf: (file: string) => SourceMap | null): string {
  const text = String(frame);
  const [file, line, column] = [frame.getFileName(), frame.getLineNumber(), frame.getColumnNumber()];
  if (!file?.startsWith(compiled) || line === null || column === null) return text;
  // Lines and columns in a source map start at 0.
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

/** The "error" may be any object with a stack, and converting it to text may throw. */
function headOf(error: unknown): string {
  try {
    return String(error);
  } catch {
    return 'an error';
  }
}
