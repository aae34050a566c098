/** What a screen writes to: standard output, or a test's collector. */
export interface Output {
  write(text: string): unknown;
  isTTY?: boolean;
  columns?: number;
}

/** Where lines go to, with a few at the bottom that are drawn anew as they change. */
export interface Screen {
  /** False where nothing can be redrawn: a file, a pipe, a simple terminal. */
  readonly redraws: boolean;
  readonly columns: number;
  line(text: string): void;
  /** Draws these lines in the place of the last ones; does nothing where nothing can be redrawn. */
  live(lines: readonly string[]): void;
  /** Leaves the live lines where they are, as ordinary ones. */
  settle(): void;
}

const DEFAULT_COLUMNS = 80;
const ESCAPE = '\u001b[';

export function createScreen(output: Output, environment: NodeJS.ProcessEnv = process.env): Screen {
  const redraws = output.isTTY === true && environment.TERM !== 'dumb';
  let shown: readonly string[] = [];

  /** Escape codes that take the live lines away, cursor at their beginning. */
  const eraser = () => (shown.length > 0 ? `${ESCAPE}${shown.length}A\r${ESCAPE}0J` : '');
  const columns = () => output.columns ?? DEFAULT_COLUMNS;
  /** A line that wraps would take two rows, and the eraser would miss one. */
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
