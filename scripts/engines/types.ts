/** The two engines that Calibron stands on. */
export type EngineName = 'temporal' | 'mongodb';

/** Takes one line for the person who waits: which way was taken, what is being downloaded or built. */
export type Report = (line: string) => void;

/** Where an engine comes from: a server that runs already, or a program to start. */
export type EngineSource =
  | { kind: 'address'; address: string; origin: string }
  | { kind: 'program'; command: string; args: string[]; flavour: EngineFlavour; origin: string };

/** One way to come by an engine. Undefined: it does not apply here. Throwing: it applied and failed. */
export interface Candidate {
  title: string;
  /** The kind of program that it gives; undefined for a server at an address, whose kind is not known. */
  flavour?: EngineFlavour;
  find(report: Report): Promise<EngineSource | undefined>;
}

export type EngineFlavour = 'temporal' | 'mongod' | 'mongo-java-server';

/** An engine that answers. What we did not start has no pid, and is never stopped. */
export interface EngineProcess {
  name: EngineName;
  pid: number | null;
  /** Tells this process from a later one with the same pid; null where the system does not say. */
  startTime: string | null;
  /** `host:port`, or a `mongodb://` address. */
  address: string;
  port: number;
  uiAddress?: string;
  uiPort?: number;
  origin: string;
  logFile?: string;
  /** Data of an engine that was asked to keep none; removed when it is stopped. */
  temporaryPath?: string;
}

/** For callers that tell nobody. */
export const noReport: Report = () => {};

/** The text of whatever was thrown. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
