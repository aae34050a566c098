/** The requested action of `npm start`. */
export type Arguments =
  | { kind: 'start'; demo: boolean; despiteOpenRuns: boolean }
  | { kind: 'stop' }
  | { kind: 'help' }
  | { kind: 'wrong'; message: string };

/** Parses the arguments after `npm start --`. */
export function readArguments(given: readonly string[]): Arguments {
  let demo = true;
  let despiteOpenRuns = false;
  let stop = false;
  for (const argument of given) {
    switch (argument) {
      case '--help':
      case '-h':
        return { kind: 'help' };
      case '--no-demo':
        demo = false;
        break;
      case '--despite-open-runs':
        despiteOpenRuns = true;
        break;
      case '--stop':
        stop = true;
        break;
      default:
        return {
          kind: 'wrong',
          message: `npm start does not know ${argument}; npm start -- --help lists what it knows.`,
        };
    }
  }
  return stop ? { kind: 'stop' } : { kind: 'start', demo, despiteOpenRuns };
}
