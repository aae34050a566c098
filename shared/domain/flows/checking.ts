import { createHash } from 'node:crypto';
import { CalibronError, isError } from '../../kernel/errors.ts';
import { QueueFull, type Share } from '../../kernel/fair-queue.ts';
import { createLimitedThreads, JobOverLimit, type ThreadLimits } from '../../kernel/limited-threads.ts';
import { compiledModule } from '../../kernel/package-root.ts';
import type { FlowCheck } from './check-flow.ts';
import { FlowCheckError } from './errors.ts';
import type { JsonValue } from './model.ts';
import type { ParameterDeclarations } from './parameter-model.ts';
import type { CheckedParameters } from './parameter-rules.ts';
import { createTypeChecking } from './type-checking.ts';

/** Input of a thread. */
export type CheckJob =
  | { kind: 'flow'; source: string; functionName: string; knownTasks: readonly string[] }
  | {
      kind: 'parameters';
      declarations: ParameterDeclarations | null;
      given: Readonly<Record<string, JsonValue>>;
      knownTasks: readonly string[];
    };

export type CheckAnswer = { flow: FlowCheck } | { parameters: CheckedParameters };

export type FlowChecking = ReturnType<typeof createFlowChecking>;

/** The largest flow needs a tenth of each limit. */
const LIMITS = { threads: 2, processorMs: 3000, memoryMb: 192, idleMs: 30_000 };
/** A user occupies at most one thread, so their checks only wait for each other. */
const QUEUE = { threadsPerUser: 1, waiting: 200, waitingPerUser: 20 };
/** Maximum number of cached results, so that saving or starting the same flow again needs no check. */
const MAX_KNOWN = 50;

/** The refusal of a job that exceeded the limits of a check. */
function overLimit({ kind }: CheckJob): CalibronError {
  const excess = 'too much time or memory to check; make it smaller.';
  return kind === 'flow'
    ? new FlowCheckError('invalid_flow', `This flow takes ${excess}`)
    : new CalibronError('invalid_parameters', `What is given as parameters takes ${excess}`);
}

/**
 * Checks flows and parameters in threads: user input may take unlimited time or memory to check, which would block the event
 * loop.
 * @param knownTasks names of the tasks that flows of a project may use
 */
export function createFlowChecking(
  knownTasks: (share: Share) => readonly string[] | Promise<readonly string[]>,
  limits: Partial<ThreadLimits> = {},
) {
  const threads = createLimitedThreads<CheckJob, CheckAnswer>(
    compiledModule('shared/domain/flows/check-thread.ts'),
    { ...LIMITS, ...QUEUE, ...limits },
  );
  const types = createTypeChecking();
  /** In insertion order, newest last. */
  const known = new Map<string, Promise<CheckAnswer>>();

  function answerOf(share: Share, job: CheckJob): Promise<CheckAnswer> {
    const key = createHash('sha256').update(JSON.stringify(job)).digest('base64');
    const answer = known.get(key) ?? checked(share, job);
    known.delete(key);
    known.set(key, answer);
    answer.catch((thrown: unknown) => {
      // A check that exceeded its limits would do so again; other failures may be temporary.
      const isFinal = thrown instanceof FlowCheckError || isError(thrown, 'invalid_parameters');
      if (!isFinal && known.get(key) === answer) known.delete(key);
    });
    for (const oldest of known.keys()) {
      if (known.size <= MAX_KNOWN) break;
      known.delete(oldest);
    }
    return answer;
  }

  /** The answer of a thread; for a flow that is right so far, also the misspelt names of the session. */
  async function checked(share: Share, job: CheckJob): Promise<CheckAnswer> {
    const answer = await inThread(share, job);
    if (job.kind !== 'flow' || !('flow' in answer) || !answer.flow.ok) return answer;
    const [first, ...rest] = await types.problemsOf(share, job.source);
    return first === undefined ? answer : { flow: { ok: false, problems: [first, ...rest] } };
  }

  async function inThread(share: Share, job: CheckJob): Promise<CheckAnswer> {
    try {
      return await threads.run(share, job);
    } catch (thrown) {
      if (thrown instanceof JobOverLimit) throw overLimit(job);
      if (!(thrown instanceof QueueFull)) throw thrown;
      throw new CalibronError('too_many_requests', 'Too many flows are being checked; try again.', {
        retryAfter: 5,
      });
    }
  }

  return {
    /** As {@link checkFlow}, and finds misspelt names of the session. @throws invalid_flow for a flow that exceeds the limits of a check, too_many_requests */
    async flow(share: Share, source: string, functionName: string): Promise<FlowCheck> {
      const job: CheckJob = { kind: 'flow', source, functionName, knownTasks: await knownTasks(share) };
      const answer = await answerOf(share, job);
      if (!('flow' in answer)) throw new Error('a thread checked something else');
      return answer.flow;
    },

    /**
     * As {@link parameterValues}. @throws invalid_parameters for parameters that exceed the limits of a check, too_many_requests
     */
    async parameters(
      share: Share,
      declarations: ParameterDeclarations | null,
      given: Readonly<Record<string, JsonValue>>,
    ): Promise<CheckedParameters> {
      const job: CheckJob = { kind: 'parameters', declarations, given, knownTasks: await knownTasks(share) };
      const answer = await answerOf(share, job);
      if (!('parameters' in answer)) throw new Error('a thread checked something else');
      return answer.parameters;
    },

    /** Ends the threads. */
    close: async () => {
      await Promise.all([threads.destroy(), types.close()]);
    },
  };
}
