// Workflow code and the isolate's thread read these, so this file knows no zod.

/** Limits of one flow run. The isolate enforces them, the API and the documentation show them. */
export const FLOW_LIMITS = {
  /** Bytes of a flow's source. */
  codeBytes: 256 * 1024,
  /** Parameters that a flow declares. */
  parameters: 200,
  /** Texts that a parameter allows, and characters of each. */
  choices: 200,
  choiceCharacters: 200,
  /** Targets that a stage keeps in flight: with more, what is under way outgrows the history of its workflow. */
  parallel: 128,
  /** Stages and waits that one run may ask for. */
  commands: 200,
  /** Tasks that one run may hold: as many as the lists and the run's history are measured with. */
  runTasks: 20_000,
  /** Bytes of a stage's answer as JSON. */
  answerBytes: 8 * 1024,
  /** Bytes of a command as JSON; the schedule of all pairs of 4,096 qubits fits. */
  commandBytes: 256 * 1024,
  /** Characters of a log message; a longer one is cut. */
  messageCharacters: 2000,
  /** Bytes of a recorded or returned value as JSON. */
  valueBytes: 8 * 1024,
  /** Lists and objects within each other, in anything that leaves the isolate. */
  levels: 64,
  /** Values in anything that leaves the isolate; the schedule of all pairs of 4,096 qubits has 30,000. */
  values: 100_000,
  /** Characters of a key in a recorded or returned value. */
  keyCharacters: 100,
  /** Log and record entries of one run. */
  entries: 1000,
  /** The longest single wait: 30 days. */
  sleepSeconds: 30 * 24 * 3600,
} as const;
