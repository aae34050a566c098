import { connect } from 'node:net';
import { Connection, type ConnectionOptions } from '@temporalio/client';
import { MongoClient } from 'mongodb';
import { readSettings } from '../../shared/domain/settings.ts';
import { readConnection } from '../../shared/kernel/engine/connection-settings.ts';
import { clientConnection } from '../../shared/kernel/engine/temporal.ts';

const PORT_TIMEOUT_MS = 500;
const ANSWER_TIMEOUT_MS = 3_000;

/** Whether a process listens on the port. */
export function portAnswers(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: PORT_TIMEOUT_MS });
    const end = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => end(true));
    socket.once('timeout', () => end(false));
    socket.once('error', () => end(false));
  });
}

/** Whether a Temporal server responds at the address. */
export function temporalAnswers(address: string): Promise<boolean> {
  return withConnection(address, async (connection) => {
    await connection.workflowService.getSystemInfo({});
  });
}

/** Whether a Temporal server responds at the address and knows the namespace. */
export function namespaceExists(address: string, namespace: string): Promise<boolean> {
  return withConnection(address, async (connection) => {
    await connection.workflowService.describeNamespace({ namespace });
  });
}

/** Whether a server that speaks MongoDB's protocol responds at the address. */
export async function mongoAnswers(address: string): Promise<boolean> {
  const client = new MongoClient(address, {
    serverSelectionTimeoutMS: ANSWER_TIMEOUT_MS,
    connectTimeoutMS: ANSWER_TIMEOUT_MS,
  });
  try {
    await client.db('admin').command({ ping: 1 }, { timeoutMS: ANSWER_TIMEOUT_MS });
    return true;
  } catch {
    return false;
  } finally {
    await client.close();
  }
}

/** Connection options: those of the environment for the server it names, and no credentials for our own server. */
function wayTo(address: string): ConnectionOptions {
  if (process.env.TEMPORAL_ADDRESS !== address) return { address };
  return clientConnection(readConnection(readSettings(process.env)).connectionOptions);
}

async function withConnection(
  address: string,
  ask: (connection: Connection) => Promise<void>,
): Promise<boolean> {
  let connection: Connection | undefined;
  try {
    const opened = await Connection.connect({ ...wayTo(address), connectTimeout: ANSWER_TIMEOUT_MS });
    connection = opened;
    await opened.withDeadline(Date.now() + ANSWER_TIMEOUT_MS, () => ask(opened));
    return true;
  } catch {
    return false;
  } finally {
    await connection?.close();
  }
}
