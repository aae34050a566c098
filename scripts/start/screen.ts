/** Output of a screen: standard output, or a test's collector. */
export interface Output {
  write(text: string): unknown;
  isTTY?: boolean;
  columns?: number;
}

/** Line output with a few live lines at the bottom, which are redrawn when they change. */
export interface Screen {
  /** False if lines cannot be redrawn: in a file, a pipe or a simple terminal. */
  readonly redraws: boolean;
  readonly columns: number;
  line(text: string): void;
  /** Replaces the live lines. Does nothing if lines cannot be redrawn. */
  live(lines: readonly string[]): void;
  /** Turns the live lines into ordinary ones. */
  settle(): void;
}

const DEFAULT_COLUMNS = 80;
const ESCAPE = '\u001b[';

export function createScreen(output: Output, environment: NodeJS.ProcessEnv = process.env): Screen {
  const redraws = output.isTTY === true && environment.TERM !== 'dumb';
  let shown: readonly string[] = [];

  /** Escape codes that erase the live lines and move the cursor to their start. */
  const eraser = () => (shown.length > 0 ? `${ESCAPE}${shown.length}A\r${ESCAPE}0J` : '');
  const columns = () => output.columns ?? DEFAULT_COLUMNS;
  /** Truncates a line: a wrapped line would take two rows, of which the eraser would miss one. */
  const cut = (line: string) => (line.length < columns() ? line : line.slice(0, Math.max(0, columns() - 1)));
  const drawn = (lines: readonly string[]) => lines.map((line) => `${cut(line)}\n`).join('');

  return {
    redraws,
    get columns() {
      return columns();
    },
    line(text) {
      output.write(`${eraser()}${text}\n${drawn(shown)}`);
    },
    live(lines) {
      if (!redraws) return;
      output.write(`${eraser()}${drawn(lines)}`);
      shown = lines;
    },
    settle() {
      shown = [];
    },
  };
}
