import { fileURLToPath } from 'node:url';
import { Client, Connection, type ConnectionOptions, isGrpcServiceError } from '@temporalio/client';
import type { DataConverter } from '@temporalio/common';
import type { ClientConnectConfig } from '@temporalio/envconfig';
import type { Settings } from '../config.ts';
import { packageRoot } from '../package-root.ts';
import { readConnection } from './connection-settings.ts';
import { loadPayloadCodecs } from './payload-codec.ts';

/**
 * gRPC status codes that say the engine is away, not that the request is wrong. Nobody here cancels a call:
 * CANCELLED (1) is how a deadline that passes while the engine answers shows itself. UNKNOWN (2) and INTERNAL (13) are
 * how an engine that goes down or comes up fails, and how the client's own transport tells of a call that was cut off.
 */
const UNAVAILABLE_CODES = new Set([1, 2, 4, 8, 13, 14]);
/** Milliseconds that a call to the engine may take before the caller hears that it is away. */
const ENGINE_DEADLINE = 5000;
/** Milliseconds after which a question that has no answer yet is asked again. */
const FIRST_ATTEMPT_DEADLINE = 1500;

/** Where the SDK finds our converters: given to clients and workers alike; workflows get them through the bundle. */
export const dataConverter = {
  payloadConverterPath: fileURLToPath(new URL('shared/kernel/engine/payload-converter.cjs', packageRoot)),
  failureConverterPath: fileURLToPath(new URL('shared/kernel/engine/failure-converter.cjs', packageRoot)),
};

/** How clients and workers alike reach the engine, and what they do with the data that it carries. */
export interface EngineAccess {
  /** Address, and what proves to the engine who asks. */
  connection: ClientConnectConfig['connectionOptions'];
  namespace: string;
  dataConverter: DataConverter;
}

/** What the settings say about the way to the engine. */
export async function engineAccess(settings: Settings): Promise<EngineAccess> {
  return {
    connection: readConnection(settings).connectionOptions,
    namespace: settings.TEMPORAL_NAMESPACE,
    dataConverter: { ...dataConverter, payloadCodecs: await loadPayloadCodecs(settings) },
  };
}

export interface Engine {
  client: Client;
  connection: Connection;
  namespace: string;
  /** For those who connect by themselves: workers. */
  access: EngineAccess;
  /** True when the engine answers within two seconds. */
  ping(): Promise<boolean>;
  close(): Promise<void>;
}

/** The same for a client, whose options have other types than a worker's. */
export function clientConnection(way: EngineAccess['connection']): ConnectionOptions {
  const { address, tls, apiKey, metadata } = way;
  return {
    ...(address === undefined ? {} : { address }),
    ...(tls === undefined ? {} : { tls }),
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(metadata === undefined ? {} : { metadata }),
  };
}

/** Connects to a Temporal server when first used; calls fail after {@link ENGINE_DEADLINE} without one. */
export function connectEngine(access: EngineAccess): Engine {
  const { namespace } = access;
  const connection = Connection.lazy({
    ...clientConnection(access.connection),
    connectTimeout: ENGINE_DEADLINE,
  });
  const client = new Client({ connection, namespace, dataConverter: access.dataConverter });
  return {
    client,
    connection,
    namespace,
    access,
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
