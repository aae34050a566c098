import type { ProjectId } from '../../kernel/ids.ts';
import type { ExecutionDocument } from '../executions/model.ts';
import { isEndStatus } from '../executions/status-rules.ts';

/** Milliseconds for which a comparison with the engine is good enough for a client that has a copy already. */
const COMPARED_FOR = 10_000;
/** Maximum number of comparisons that are remembered. */
const MAX_REMEMBERED = 1000;

/** Reads of executions that include the engine's state of open ones. */
export function createCurrent(needs: {
  /** @throws not_found */
  find(projectId: ProjectId, id: string): Promise<ExecutionDocument>;
  /** The execution after a comparison with the engine, if it is open. */
  upToDate(execution: ExecutionDocument): Promise<ExecutionDocument>;
  now?: () => number;
}) {
  const { find, upToDate, now = () => performance.now() } = needs;
  const compared = new Map<string, number>();

  async function compare(stored: ExecutionDocument): Promise<ExecutionDocument> {
    if (isEndStatus(stored.status)) return stored;
    if (compared.size >= MAX_REMEMBERED) compared.clear();
    compared.set(stored._id, now());
    const execution = await upToDate(stored);
    if (isEndStatus(execution.status)) compared.delete(execution._id);
    return execution;
  }

  return {
    /** The execution, compared with the engine if it is open. @throws not_found */
    current: async (projectId: ProjectId, id: string): Promise<ExecutionDocument> =>
      compare(await find(projectId, id)),

    /**
     * The execution as stored; an open one is compared with the engine at most every ten seconds. For clients that poll.
     * @throws not_found
     */
    async polled(projectId: ProjectId, id: string): Promise<ExecutionDocument> {
      const stored = await find(projectId, id);
      const last = compared.get(stored._id);
      return last !== undefined && now() - last < COMPARED_FOR ? stored : compare(stored);
    },
  };
}
