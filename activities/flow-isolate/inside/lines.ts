/** Line numbers of the flow. */
export interface Lines {
  /** Line of the current statement. The flow's code writes it here (see line-marks.ts). */
  readonly mark: Int32Array;
  current(): number;
  /** Line where an error was created, if that was in the flow. */
  ofError(error: unknown): number | undefined;
  /** The flow's line that called into the session. */
  ofCaller(): number;
}

/** @param memory holds the current line; the host may read it at any time */
export function createLines(flowFile: string, memory: ArrayBuffer): Lines {
  const frame = new RegExp(`${flowFile.replaceAll('.', '\\.')}:(\\d+)`);
  const mark = new Int32Array(memory).fill(0);
  const current = () => mark[0] ?? 0;

  function ofError(error: unknown): number | undefined {
    if (!(error instanceof Error) || typeof error.stack !== 'string') return undefined;
    const line = frame.exec(error.stack)?.[1];
    return line === undefined ? undefined : Number(line);
  }

  return { mark, current, ofError, ofCaller: () => ofError(new Error()) ?? current() };
}
