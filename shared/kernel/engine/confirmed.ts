import { Client, type WorkflowClientInterceptor, WorkflowNotFoundError } from '@temporalio/client';
import type { Engine } from './temporal.ts';

/**
 * The same engine, whose client starts no workflow or schedule before `confirm` has resolved, and reports a workflow as
 * unknown only after it has: a server of another installation knows nothing of ours.
 * @param confirm rejects when the server is another installation's, or when that cannot be found out
 */
export function confirmedEngine(engine: Engine, confirm: () => Promise<unknown>): Engine {
  const { connection, namespace, access } = engine;

  async function confirmingUnknown<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (thrown) {
      if (thrown instanceof WorkflowNotFoundError || isNotFound(thrown)) await confirm();
      throw thrown;
    }
  }

  const workflow: WorkflowClientInterceptor = {
    async startWithDetails(input, next) {
      await confirm();
      return next(input);
    },
    async signalWithStart(input, next) {
      await confirm();
      return next(input);
    },
    async startUpdateWithStart(input, next) {
      await confirm();
      return next(input);
    },
    describe: (input, next) => confirmingUnknown(next(input)),
    signal: (input, next) => confirmingUnknown(next(input)),
    query: (input, next) => confirmingUnknown(next(input)),
    startUpdate: (input, next) => confirmingUnknown(next(input)),
    terminate: (input, next) => confirmingUnknown(next(input)),
    cancel: (input, next) => confirmingUnknown(next(input)),
  };
  const client = new Client({
    connection,
    namespace,
    dataConverter: access.dataConverter,
    interceptors: {
      workflow: [workflow],
      schedule: [
        {
          async create(input, next) {
            await confirm();
            return next(input);
          },
        },
      ],
    },
  });
  return { ...engine, client };
}

/** gRPC's NOT_FOUND: where interceptors stand, the SDK may not have made an error of its own of it yet. */
function isNotFound(thrown: unknown): boolean {
  const NOT_FOUND = 5;
  for (let error = thrown; error instanceof Error; error = error.cause) {
    if ('code' in error && error.code === NOT_FOUND) return true;
  }
  return false;
}
