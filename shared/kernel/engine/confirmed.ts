import { Client, type WorkflowClientInterceptor, WorkflowNotFoundError } from '@temporalio/client';
import type { Engine } from './temporal.ts';

/**
 * Wraps an engine so that its client starts a workflow or schedule only after `confirm` has resolved. It also reports a
 * workflow as unknown only after that, because the server of another installation does not know our workflows.
 * @param confirm rejects if the server belongs to another installation, or if that cannot be determined
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

/** Also checks for gRPC's NOT_FOUND, because interceptors may see it before the SDK has converted it to its own error. */
function isNotFound(thrown: unknown): boolean {
  const NOT_FOUND = 5;
  for (let error = thrown; error instanceof Error; error = error.cause) {
    if ('code' in error && error.code === NOT_FOUND) return true;
  }
  return false;
}
