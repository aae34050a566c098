import { type EngineName, type EngineSource, noReport, type Report, reasonOf } from './types.ts';
import { mongodbWays, temporalWays } from './ways.ts';

export type { EngineName, EngineSource, Report };

/** One way to come by an engine. Undefined: it does not apply here. Throwing: it applied and failed. */
export interface Way {
  title: string;
  find(report: Report): Promise<EngineSource | undefined>;
}

/** No way was left; the message says what to install. */
export class EngineNotFound extends Error {
  override readonly name = 'EngineNotFound';
}

const ENGINES: Record<EngineName, { title: string; install: string; ways: () => Way[] }> = {
  temporal: {
    title: 'Temporal server',
    install: 'install the Temporal CLI (`temporal`) or Go 1.25, or set TEMPORAL_ADDRESS',
    ways: temporalWays,
  },
  mongodb: {
    title: 'MongoDB server',
    install: 'install MongoDB 7 (`mongod`), or a Java 17 JDK with Maven, or set MONGODB_URI',
    ways: mongodbWays,
  },
};

/**
 * Finds an engine by the first way that works: an address from the environment, a program named there or on
 * PATH, the cache of an earlier run, a download, a build from package registries.
 *
 * @example
 * const source = await findEngine('temporal', console.log);
 */
export async function findEngine(
  name: EngineName,
  report: Report = noReport,
  ways: readonly Way[] = ENGINES[name].ways(),
): Promise<EngineSource> {
  const say: Report = (line) => report(`${name}: ${line}`);
  for (const way of ways) {
    try {
      const source = await way.find(say);
      if (source !== undefined) {
        say(source.origin);
        return source;
      }
    } catch (error) {
      say(`${way.title} did not work: ${reasonOf(error)}`);
    }
  }
  const { title, install } = ENGINES[name];
  throw new EngineNotFound(`No ${title} could be found, downloaded or built: ${install}.`);
}
