interface SessionCall {
  /** It takes time, so a flow has to await it. */
  waits: boolean;
  /** Position of the argument whose `tasks` are a list of tasks. */
  tasksIn?: number;
}

/**
 * What a flow can call on its session. The session in the isolate has exactly these, the check of a saved flow reads
 * from here what must be awaited and where task names stand; config/flows/calibron.d.ts declares them to editors.
 */
export const sessionCalls = {
  run: { waits: true, tasksIn: 0 },
  retry: { waits: true, tasksIn: 0 },
  bringUp: { waits: true, tasksIn: 1 },
  oneQubitCheck: { waits: true, tasksIn: 1 },
  oneQubitFineTune: { waits: true, tasksIn: 1 },
  twoQubit: { waits: true, tasksIn: 1 },
  schedulePairs: { waits: true },
  values: { waits: true },
  sleep: { waits: true },
  approval: { waits: true },
  end: { waits: false },
  log: { waits: false },
  record: { waits: false },
} as const satisfies { [call: string]: SessionCall };
export type SessionCallName = keyof typeof sessionCalls;

const calls: { readonly [name: string]: SessionCall | undefined } = sessionCalls;

/** Whether a member of a session is a call that has to be awaited. */
export function waitsForAnswer(name: string): boolean {
  return Object.hasOwn(calls, name) && calls[name]?.waits === true;
}

/** Position of the argument of a call that holds a list of tasks, undefined for calls without one. */
export function taskListArgument(name: string): number | undefined {
  return Object.hasOwn(calls, name) ? calls[name]?.tasksIn : undefined;
}
