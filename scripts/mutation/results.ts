/** Environment variable with the directory of the results, one file for each test file. */
export const RESULTS = 'CALIBRON_MUTATION_RESULTS';
/** Environment variable with the directory of the instrumented sources. */
export const SOURCES = 'CALIBRON_MUTATION_SOURCES';

/** What the tests of a file noticed. */
export interface ResultsOfFile {
  file: string;
  /** By mutant, the test that failed. */
  killed: Record<string, string>;
  survived: string[];
  /** Mutants that run while modules are loaded. */
  loaded: string[];
  /** Tests that fail without a mutant after they ran with mutants: their results mean nothing. */
  unstable: string[];
}
