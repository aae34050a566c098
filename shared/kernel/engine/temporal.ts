import { fileURLToPath } from 'node:url';
import { Client, Connection, isGrpcServiceError } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import { packageRoot } from '../package-root.ts';
import { searchAttributeNames } from './search-attributes.ts';

/**
 * gRPC status codes that say the engine is away, not that the request is wrong. Nobody here cancels a call:
 * CANCELLED (1) is how a deadline that passes while the engine answers shows itself.
 */
const UNAVAILABLE_CODES = new Set([1, 4, 8, 14]);
/** Keyword in the engine's enumeration of search attribute types. */
const KEYWORD = 2;
const RETENTION = '30 days';
/** Milliseconds that a call to the engine may take before the caller hears that it is away. */
const ENGINE_DEADLINE = 5000;
/** Milliseconds after which a question that has no answer yet is asked again. */
const FIRST_ATTEMPT_DEADLINE = 1500;

/** Where the SDK finds our converters: given to clients and workers alike; workflows get them through the bundle. */
export const dataConverter = {
  payloadConverterPath: fileURLToPath(new URL('shared/kernel/engine/payload-converter.cjs', packageRoot)),
  failureConverterPath: fileURLToPath(new URL('shared/kernel/engine/failure-converter.cjs', packageRoot)),
};

export interface Engine {
  client: Client;
  connection: Connection;
  namespace: string;
  /** True when the engine answers within two seconds. */
  ping(): Promise<boolean>;
  close(): Promise<void>;
}

/** Connects to a Temporal server when first used; calls fail after {@link ENGINE_DEADLINE} without one. */
export function connectEngine(address: string, namespace: string): Engine {
  const connection = Connection.lazy({ address, connectTimeout: ENGINE_DEADLINE });
  const client = new Client({ connection, namespace, dataConverter });
  return {
    client,
    connection,
    namespace,
    async ping() {
      try {
        await connection.withDeadline(Date.now() + 2000, () => connection.workflowService.getSystemInfo({}));
        return true;
      } catch {
        return false;
      }
    },
    close: () => connection.close(),
  };
}

/** True for errors that mean the engine cannot be reached at the moment. */
export function isEngineUnavailable(thrown: unknown): boolean {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    if (isGrpcServiceError(error) && UNAVAILABLE_CODES.has(error.code)) return true;
  }
  return false;
}

/** Runs calls to the engine under the service's deadline. */
export function withinDeadline<T>(engine: Engine, call: () => Promise<T>): Promise<T> {
  return engine.connection.withDeadline(Date.now() + ENGINE_DEADLINE, call);
}

/**
 * Runs calls that are safe to repeat, and a second time, then under the service's deadline, if they get no answer.
 * The engine describes a schedule by a query, and loses one in some 350 (measured with its dev server 1.5.1). One after
 * the other: a first change that is only slow must not be made after a later one.
 */
export async function withOneRetry<T>(engine: Engine, call: () => Promise<T>): Promise<T> {
  try {
    return await engine.connection.withDeadline(Date.now() + FIRST_ATTEMPT_DEADLINE, call);
  } catch (thrown) {
    if (!isEngineUnavailable(thrown)) throw thrown;
    return withinDeadline(engine, call);
  }
}

/**
 * Registers the namespace (retention 30 days) and the search attributes where they are missing.
 * A dev server with an existing file ignores the flags it was started with, so each start does it.
 */
export async function prepareEngine(engine: Engine): Promise<void> {
  const { connection, namespace } = engine;
  try {
    await connection.workflowService.registerNamespace({
      namespace,
      workflowExecutionRetentionPeriod: msToTs(RETENTION),
    });
  } catch (thrown) {
    if (!isAlreadyRegistered(thrown)) throw thrown;
  }
  await retryUntilVisible(async () => {
    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
    const missing = searchAttributeNames.filter((name) => !(name in (customAttributes ?? {})));
    if (missing.length === 0) return;
    try {
      await connection.operatorService.addSearchAttributes({
        namespace,
        searchAttributes: Object.fromEntries(missing.map((name) => [name, KEYWORD])),
      });
    } catch (thrown) {
      if (!isAlreadyRegistered(thrown)) throw thrown;
    }
  });
}

function isAlreadyRegistered(thrown: unknown): boolean {
  const alreadyExists = 6;
  return isGrpcServiceError(thrown) && thrown.code === alreadyExists;
}

/** A namespace that was registered a moment ago is unknown to other parts of the server for some seconds. */
async function retryUntilVisible(step: () => Promise<void>): Promise<void> {
  const attempts = 40;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await step();
    } catch (thrown) {
      if (attempt >= attempts) throw thrown;
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  }
}
