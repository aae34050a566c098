interface SessionCall {
  /** The call takes time, so a flow must await it. */
  waits: boolean;
  /** Position of the argument whose `tasks` is a list of tasks. */
  tasksIn?: number;
}

/**
 * The calls on a flow's session. The session in the isolate has exactly these; the check of saved flows uses the list to find
 * calls that must be awaited and the places of task names; config/flows/calibron.d.ts declares them for editors.
 */
export const sessionCalls = {
  run: { waits: true, tasksIn: 0 },
  retry: { waits: true, tasksIn: 0 },
  bringUp: { waits: true, tasksIn: 1 },
  oneQubitCheck: { waits: true, tasksIn: 1 },
  oneQubitFineTune: { waits: true, tasksIn: 1 },
  twoQubit: { waits: true, tasksIn: 1 },
  maintain: { waits: true, tasksIn: 0 },
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

/** Whether a member of a session is a call that must be awaited. */
export function waitsForAnswer(name: string): boolean {
  return Object.hasOwn(calls, name) && calls[name]?.waits === true;
}

/** Position of a call's argument with a list of tasks; undefined for calls without one. */
export function taskListArgument(name: string): number | undefined {
  return Object.hasOwn(calls, name) ? calls[name]?.tasksIn : undefined;
}
