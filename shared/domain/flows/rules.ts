// Workflow code and the isolate's thread import this file, so it must not import zod.

/** Limits of one flow run. The isolate enforces them; the API and the documentation show them. */
export const FLOW_LIMITS = {
  /** Bytes of a flow's source. */
  codeBytes: 256 * 1024,
  /** Number of declared parameters of a flow. */
  parameters: 200,
  /** Number of allowed strings of a parameter, and maximum length of each in characters. */
  choices: 200,
  choiceCharacters: 200,
  /** Number of tasks that a maintenance looks at. */
  maintainedTasks: 100,
  /** Targets that a stage measures at once: with more, the measurements in flight exceed the history of its workflow. */
  parallel: 128,
  /** Number of stages and waits of one run. */
  commands: 200,
  /** Number of tasks of one run: 1,024 qubits with two hundred tasks each. */
  runTasks: 200_000,
  /** Bytes of a stage's plan in the store, where a document with plan and summary has at most 16 MiB. */
  planBytes: 4 * 1024 * 1024,
  /** Bytes of a stage's answer as JSON. */
  answerBytes: 8 * 1024,
  /** Bytes of a command as JSON; the schedule of all pairs of 4,096 qubits fits. */
  commandBytes: 256 * 1024,
  /** Characters of a log message; longer ones are cut. */
  messageCharacters: 2000,
  /** Bytes of a recorded or returned value as JSON. */
  valueBytes: 8 * 1024,
  /** Nesting depth of lists and objects in anything that leaves the isolate. */
  levels: 64,
  /** Number of values in anything that leaves the isolate; the schedule of all pairs of 4,096 qubits has 30,000. */
  values: 100_000,
  /** Characters of a key in a recorded or returned value. */
  keyCharacters: 100,
  /** Values that one run records. */
  records: 1000,
  /** Messages between two commands of a run, and their characters together. Beyond them the middle ones are left out. */
  messages: 10_000,
  messagesCharacters: 2 * 1024 * 1024,
  /** Decisions of maintenance between two commands of a run, and their targets together. Beyond them none is kept. */
  decisions: 10_000,
  decidedTargets: 40_000,
  /** The longest single wait: 30 days. */
  sleepSeconds: 30 * 24 * 3600,
} as const;
