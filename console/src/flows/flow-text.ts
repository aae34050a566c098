/** A problem of a flow, as the service reports it. */
export interface FlowProblem {
  line: number;
  message: string;
}

/**
 * The problems in the message of a refused flow, such as `Line 3: unknown task "CheckRaby". Line 9: …`; empty for a message
 * that names no line.
 */
export function problemsIn(message: string): FlowProblem[] {
  return [...message.matchAll(/Line (\d+): (.*?)(?=\s+Line \d+: |$)/gs)].map(([, line, text]) => ({
    line: Number(line),
    message: text ?? '',
  }));
}

/**
 * Which function of a flow runs: the one that did so far, the one with the flow's name, or else the last that is exported.
 * Null if none is exported; the service reports that too.
 */
export function functionOf(code: string, name: string, before: string): string | null {
  const exported = [...code.matchAll(/^export\s+async\s+function\s+([A-Za-z_$][\w$]*)/gm)].map(
    ([, found]) => found ?? '',
  );
  return [before, name].find((each) => exported.includes(each)) ?? exported.at(-1) ?? null;
}
