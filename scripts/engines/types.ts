/** The two engines that Calibron requires. */
export type EngineName = 'temporal' | 'mongodb';

/** Receives progress messages for the user, for example what is being downloaded or built. */
export type Report = (line: string) => void;

/** Source of an engine: a running server, or a program to start. */
export type EngineSource =
  | { kind: 'address'; address: string; origin: string }
  | { kind: 'program'; command: string; args: string[]; flavour: EngineFlavour; origin: string };

/** One method to get an engine. `find` returns undefined if the method does not apply, and throws if it fails. */
export interface Candidate {
  title: string;
  /** Kind of the program found; undefined for a server at an address, whose kind is unknown. */
  flavour?: EngineFlavour;
  find(report: Report): Promise<EngineSource | undefined>;
}

export type EngineFlavour = 'temporal' | 'mongod' | 'mongo-java-server';

/** A running engine. An engine that we did not start has no pid and is never stopped. */
export interface EngineProcess {
  name: EngineName;
  pid: number | null;
  /** Distinguishes this process from a later one with the same pid; null if the system does not report it. */
  startTime: string | null;
  /** `host:port`, or a `mongodb://` address. */
  address: string;
  port: number;
  uiAddress?: string;
  uiPort?: number;
  /** Port of the web interface behind the proxy at `uiPort`. */
  innerUiPort?: number;
  origin: string;
  logFile?: string;
  /** Temporary data of an engine without persistence; removed when it is stopped. */
  temporaryPath?: string;
}

/** Ignores progress messages. */
export const noReport: Report = () => {};

/** The message of anything thrown. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
