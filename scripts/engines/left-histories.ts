import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, Connection, WorkflowNotFoundError } from '@temporalio/client';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { dataConverter } from '../../shared/kernel/engine/temporal.ts';
import { workflowBundle } from '../../workers/bundle.ts';

type ReplayedHistories = Parameters<typeof Worker.runReplayHistories>[1];
type NamedHistory = ReplayedHistories extends Iterable<infer History> | AsyncIterable<infer History>
  ? History
  : never;

/** Maximum number of histories fetched concurrently. */
const FETCHED_AT_ONCE = 8;
const PAGE = 200;
/** Bytes. A history with large inputs exceeds gRPC's default limit. */
const LARGEST_HISTORY = 128 * 1024 * 1024;
const EXEMPT = 'namespaces-not-replayed';
/** Maximum number of histories of one kind listed in a failure. */
const SHOWN = 5;

/** Number of replayed histories, and the failures. */
export interface ReplayReport {
  replayed: number;
  failures: readonly string[];
}

/** Exempts a namespace from {@link replayLeftHistories}, because other workflow code has written some of its histories. */
export async function exemptFromReplay(namespace: string): Promise<void> {
  const directory = join(process.env['CALIBRON_TEST_DIRECTORY'] ?? '', EXEMPT);
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, namespace), '');
}

/**
 * Replays every history that this test run left on its Temporal server, with the workflow code that wrote it.
 * @param address of the Temporal server, where each laboratory has its own namespace
 * @param testDirectory the directory of the test run, which also gets the bundles
 */
export async function replayLeftHistories(address: string, testDirectory: string): Promise<ReplayReport> {
  Runtime.install({ logger: new DefaultLogger('WARN') });
  const exempt: string[] = await readdir(join(testDirectory, EXEMPT)).catch(() => []);
  const connection = await Connection.connect({
    address,
    channelArgs: { 'grpc.max_receive_message_length': LARGEST_HISTORY },
  });
  try {
    const namespaces = (await namespacesOf(connection)).filter(
      (name) => name.startsWith('test_') && !exempt.includes(name),
    );
    if (namespaces.length === 0) return { replayed: 0, failures: [] };
    let replayed = 0;
    const failures: string[] = [];
    for (const { workflows, updater } of [
      { workflows: await import('../../workflows/index.ts'), updater: false },
      { workflows: await import('../../workflows/updater.ts'), updater: true },
    ]) {
      const codePath = await workflowBundle(join(testDirectory, 'cache'), { updater });
      const results = Worker.runReplayHistories(
        { workflowBundle: { codePath }, dataConverter },
        historiesOf(connection, namespaces, Object.keys(workflows)),
      );
      for await (const { workflowId, error } of results) {
        replayed += 1;
        if (error) failures.push(`${workflowId}: ${error.message}`);
      }
    }
    return { replayed, failures };
  } finally {
    await connection.close();
  }
}

/** Summary for the log of a test run. @throws if a history does not replay */
export function judgeReplay({ replayed, failures }: ReplayReport): string {
  if (failures.length === 0) return `replayed the ${replayed} histories that the tests left`;
  const shown = failures.slice(0, SHOWN).join('\n');
  throw new Error(`${failures.length} of ${replayed} histories do not replay:\n${shown}`);
}

async function namespacesOf(connection: Connection): Promise<string[]> {
  const names: string[] = [];
  let nextPageToken: Uint8Array | undefined;
  do {
    const page = await connection.workflowService.listNamespaces({ pageSize: PAGE, nextPageToken });
    names.push(...page.namespaces.map(({ namespaceInfo }) => namespaceInfo?.name ?? ''));
    nextPageToken = page.nextPageToken;
  } while (nextPageToken?.length);
  return names;
}

async function* historiesOf(
  connection: Connection,
  namespaces: readonly string[],
  types: readonly string[],
): AsyncIterable<NamedHistory> {
  const query = `WorkflowType IN (${types.map((type) => `'${type}'`).join(', ')})`;
  for (const namespace of namespaces) {
    const { workflow } = new Client({ connection, namespace });
    let nextPageToken: Uint8Array | undefined;
    do {
      const page = await connection.workflowService.listWorkflowExecutions({
        namespace,
        query,
        pageSize: FETCHED_AT_ONCE,
        ...(nextPageToken && { nextPageToken }),
      });
      const found = page.executions.map(({ execution }) => historyOf(workflow, namespace, execution));
      for (const history of await Promise.all(found)) if (history) yield history;
      nextPageToken = page.nextPageToken;
    } while (nextPageToken?.length);
  }
}

/** @returns undefined if the workflow has been deleted meanwhile, for example with its project */
async function historyOf(
  workflow: Client['workflow'],
  namespace: string,
  execution: { workflowId?: string | null; runId?: string | null } | null | undefined,
): Promise<NamedHistory | undefined> {
  const { workflowId, runId } = execution ?? {};
  if (!workflowId || !runId) return undefined;
  try {
    const history = await workflow.getHandle(workflowId, runId).fetchHistory();
    // Tests also start workflows that no worker executes, some of them with invalid input.
    if (!history.events?.some((event) => event.workflowTaskCompletedEventAttributes)) return undefined;
    return { workflowId: `${namespace} ${workflowId} ${runId}`, history };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}
