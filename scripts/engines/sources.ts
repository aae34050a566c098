import { UnusableCache } from './cache.ts';
import { mongodbCandidates, temporalCandidates } from './candidates.ts';
import {
  type Candidate,
  type EngineName,
  type EngineSource,
  noReport,
  type Report,
  reasonOf,
} from './types.ts';

export type { Candidate, EngineName, EngineSource, Report };

/** No candidate worked. The message names what to install. */
export class EngineNotFound extends Error {
  override readonly name = 'EngineNotFound';
}

const ENGINES: Record<EngineName, { title: string; install: string; candidates: () => Candidate[] }> = {
  temporal: {
    title: 'Temporal server',
    install: 'install the Temporal CLI (`temporal`) or Go 1.25, or set TEMPORAL_ADDRESS',
    candidates: temporalCandidates,
  },
  mongodb: {
    title: 'MongoDB server',
    install: 'install MongoDB 7 (`mongod`), or a Java 17 JDK with Maven, or set MONGODB_URI',
    candidates: mongodbCandidates,
  },
};

/**
 * Finds an engine by the first method that works: an address from the environment, a program named there or on
 * PATH, the cache of an earlier run, a download, a build from package registries.
 *
 * @example
 * const source = await findEngine('temporal', console.log);
 */
export async function findEngine(
  name: EngineName,
  report: Report = noReport,
  candidates: readonly Candidate[] = ENGINES[name].candidates(),
): Promise<EngineSource> {
  const say: Report = (line) => report(`${name}: ${line}`);
  let unusableCache: string | undefined;
  for (const candidate of candidates) {
    try {
      const source = await candidate.find(say);
      if (source !== undefined) {
        say(source.origin);
        return source;
      }
    } catch (error) {
      if (error instanceof UnusableCache) unusableCache = error.message;
      say(`${candidate.title} did not work: ${reasonOf(error)}`);
    }
  }
  const { title, install } = ENGINES[name];
  throw new EngineNotFound(
    `No ${title} could be found, downloaded or built: ${unusableCache ?? `${install}.`}`,
  );
}
