import { fileURLToPath } from 'node:url';
import { Client, Connection, type ConnectionOptions, isGrpcServiceError } from '@temporalio/client';
import type { DataConverter } from '@temporalio/common';
import type { ClientConnectConfig } from '@temporalio/envconfig';
import { packageRoot } from '../package-root.ts';
import type { KernelSettings } from '../settings.ts';
import { readConnection } from './connection-settings.ts';
import { loadPayloadCodecs } from './payload-codec.ts';

/**
 * gRPC status codes which mean that the engine is unavailable, not that the request is wrong. CANCELLED (1) means that the
 * deadline expired while the engine was answering, since our code never cancels calls. UNKNOWN (2) and INTERNAL (13) occur
 * when the engine starts or stops, and when the client's transport loses the connection during a call.
 */
const UNAVAILABLE_CODES = new Set([1, 2, 4, 8, 13, 14]);
/** Milliseconds that a call to the engine may take before it is reported as unavailable. */
const ENGINE_DEADLINE = 5000;
/** Milliseconds after which a call without an answer is repeated. */
const FIRST_ATTEMPT_DEADLINE = 1500;

/** Paths of our converters, for clients and workers. Workflows get them through the bundle. */
export const dataConverter = {
  payloadConverterPath: fileURLToPath(new URL('shared/kernel/engine/payload-converter.cjs', packageRoot)),
  failureConverterPath: fileURLToPath(new URL('shared/kernel/engine/failure-converter.cjs', packageRoot)),
};

/** How clients and workers connect to the engine, and how they encode data. */
export interface EngineAccess {
  /** Address and credentials. */
  connection: ClientConnectConfig['connectionOptions'];
  namespace: string;
  dataConverter: DataConverter;
}

/** Reads the connection and the codecs from the settings. */
export async function engineAccess(settings: KernelSettings): Promise<EngineAccess> {
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
  /** For workers, which open their own connections. */
  access: EngineAccess;
  /** True if the engine answers within two seconds. */
  ping(): Promise<boolean>;
  close(): Promise<void>;
}

/** Connection options for a client, whose types differ from those of a worker. */
export function clientConnection(way: EngineAccess['connection']): ConnectionOptions {
  const { address, tls, apiKey, metadata } = way;
  return {
    ...(address === undefined ? {} : { address }),
    ...(tls === undefined ? {} : { tls }),
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(metadata === undefined ? {} : { metadata }),
  };
}

/** Connects to a Temporal server on first use. If it is unavailable, calls fail after {@link ENGINE_DEADLINE}. */
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

/** True if the error means that the engine is temporarily unavailable. */
export function isEngineUnavailable(thrown: unknown): boolean {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    if (isGrpcServiceError(error) && UNAVAILABLE_CODES.has(error.code)) return true;
  }
  return false;
}

/** Runs calls to the engine with the service's deadline. */
export function withinDeadline<T>(engine: Engine, call: () => Promise<T>): Promise<T> {
  return engine.connection.withDeadline(Date.now() + ENGINE_DEADLINE, call);
}

/**
 * Runs calls that are safe to repeat. If there is no answer, it repeats them once with the service's deadline. The engine
 * uses a query to describe a schedule, and loses about one query in 350 (measured with dev server 1.5.1). The retry starts
 * only after the first attempt has ended, so that a slow change is not applied after a later one.
 */
export async function withOneRetry<T>(engine: Engine, call: () => Promise<T>): Promise<T> {
  try {
    return await engine.connection.withDeadline(Date.now() + FIRST_ATTEMPT_DEADLINE, call);
  } catch (thrown) {
    if (!isEngineUnavailable(thrown)) throw thrown;
    return withinDeadline(engine, call);
  }
}
