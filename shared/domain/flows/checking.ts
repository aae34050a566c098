import { createHash } from 'node:crypto';
import { CalibronError, type ErrorCode } from '../../kernel/errors.ts';
import {
  createLimitedThreads,
  JobOverLimit,
  JobRefused,
  type ThreadLimits,
} from '../../kernel/limited-threads.ts';
import { compiledModule } from '../../kernel/package-root.ts';
import type { FlowCheck } from './check-flow.ts';
import type { JsonValue } from './model.ts';
import type { ParameterDeclarations } from './parameter-model.ts';
import type { CheckedParameters } from './parameter-rules.ts';

/** What a thread is given. */
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

/** What the largest flow needs is a tenth of each. */
const LIMITS = { threads: 2, waiting: 200, processorMs: 3000, memoryMb: 192, idleMs: 300_000 };
/** Checks of one project that wait for the one under way: its own, so that no project has more than one thread. */
const MAX_WAITING_OF_PROJECT = 20;
/** Checks whose result is known; what is saved or started again is not checked again. */
const MAX_KNOWN = 50;

/**
 * Checks flows and parameters in threads: what people write may need endless time or memory to check, and an event loop
 * that did it would answer nobody meanwhile.
 */
export function createFlowChecking(knownTasks: () => readonly string[], limits: Partial<ThreadLimits> = {}) {
  const threads = createLimitedThreads<CheckJob, CheckAnswer>(
    compiledModule('shared/domain/flows/check-thread.ts'),
    { ...LIMITS, ...limits },
  );
  /** Newest last. */
  const known = new Map<string, Promise<CheckAnswer>>();
  /** Checks of each project, the one under way included. */
  const turns = new Map<string, { last: Promise<unknown>; count: number }>();

  function answerOf(
    projectId: string,
    job: CheckJob,
    code: ErrorCode,
    subject: string,
  ): Promise<CheckAnswer> {
    const key = createHash('sha256').update(JSON.stringify(job)).digest('base64');
    const answer = known.get(key) ?? checked(projectId, job, code, subject);
    known.delete(key);
    known.set(key, answer);
    answer.catch((thrown: unknown) => {
      // What was too much once would be too much again; all else may pass.
      const isFinal = thrown instanceof CalibronError && thrown.code === code;
      if (!isFinal && known.get(key) === answer) known.delete(key);
    });
    for (const oldest of known.keys()) {
      if (known.size <= MAX_KNOWN) break;
      known.delete(oldest);
    }
    return answer;
  }

  async function checked(projectId: string, job: CheckJob, code: ErrorCode, subject: string) {
    try {
      return await inTurn(projectId, () => threads.run(job));
    } catch (thrown) {
      if (thrown instanceof JobOverLimit) {
        throw new CalibronError(code, `${subject} too much time or memory to check; make it smaller.`);
      }
      if (!(thrown instanceof JobRefused)) throw thrown;
      throw new CalibronError('too_many_requests', 'Too many flows are being checked; try again.', {
        retryAfter: 5,
      });
    }
  }

  async function inTurn<T>(projectId: string, work: () => Promise<T>): Promise<T> {
    const turn = turns.get(projectId) ?? { last: Promise.resolve(), count: 0 };
    if (turn.count > MAX_WAITING_OF_PROJECT) throw new JobRefused('too many of this project');
    turns.set(projectId, turn);
    turn.count += 1;
    const mine = turn.last.then(work);
    turn.last = mine.catch(() => undefined);
    try {
      return await mine;
    } finally {
      turn.count -= 1;
      if (turn.count === 0) turns.delete(projectId);
    }
  }

  return {
    /** As {@link checkFlow}. @throws invalid_flow for a flow that takes too much to check, too_many_requests */
    async flow(projectId: string, source: string, functionName: string): Promise<FlowCheck> {
      const job: CheckJob = { kind: 'flow', source, functionName, knownTasks: knownTasks() };
      const answer = await answerOf(projectId, job, 'invalid_flow', 'This flow takes');
      if (!('flow' in answer)) throw new Error('a thread checked something else');
      return answer.flow;
    },

    /** As {@link parameterValues}. @throws invalid_parameters for what takes too much to check, too_many_requests */
    async parameters(
      projectId: string,
      declarations: ParameterDeclarations | null,
      given: Readonly<Record<string, JsonValue>>,
    ): Promise<CheckedParameters> {
      const job: CheckJob = { kind: 'parameters', declarations, given, knownTasks: knownTasks() };
      const answer = await answerOf(
        projectId,
        job,
        'invalid_parameters',
        'What is given as parameters takes',
      );
      if (!('parameters' in answer)) throw new Error('a thread checked something else');
      return answer.parameters;
    },

    /** Ends the threads. */
    close: () => threads.destroy(),
  };
}
