import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { activityPollers } from '../../kernel/engine/pollers.ts';
import { type Engine, withinDeadline } from '../../kernel/engine/temporal.ts';
import { startWorkflow } from '../../kernel/engine/workflow-contract.ts';
import { backendQueue, CALIBRATION_QUEUE } from '../../kernel/engine/workflow-ids.ts';
import { SIMULATOR_BACKEND } from '../../tasks/model.ts';
import type { ExecutionStore } from '../executions/index.ts';
import { readMeasuring } from './measuring.ts';
import type { GivenMeasurement } from './model.ts';
import { dueDescriptions, goneBefore } from './rules.ts';
import type { BackendWorkerStore } from './store.ts';
import { backendDescription, backendDescriptionWorkflowId } from './workflow-model.ts';

/** Milliseconds after which a worker that is gone is forgotten. */
const REMEMBERED = 86_400_000;

interface Dependencies {
  engine: Engine;
  executions: Pick<ExecutionStore, 'openRuns'>;
  store: BackendWorkerStore;
  /** Names of the declared backends. */
  backends(): Promise<readonly string[]>;
}

/** Looks after the workers of backends. */
export function createLooking({ engine, executions, store, backends }: Dependencies) {
  async function see(backend: string, measuring: readonly GivenMeasurement[], at: Date): Promise<void> {
    // A worker that measures as much as it can asks for nothing.
    const polling = await withinDeadline(engine, () => activityPollers(engine, backendQueue(backend)));
    const identities = new Set([...polling, ...measuring.map(({ worker }) => worker)]);
    for (const identity of identities) {
      if (identity === '') continue;
      const own = measuring.filter(({ worker }) => worker === identity);
      await store.see({ backend, identity }, own, at);
    }
  }

  /** Starts the workflow that asks for descriptions, unless it is open. */
  async function ask(backend: string, calls: number): Promise<void> {
    try {
      await withinDeadline(engine, () =>
        startWorkflow(engine, backendDescription, {
          workflowId: backendDescriptionWorkflowId(backend),
          taskQueue: CALIBRATION_QUEUE,
          staticSummary: `Description of backend ${backend}`,
          args: [{ backend, calls }],
        }),
      );
    } catch (thrown) {
      if (!(thrown instanceof WorkflowExecutionAlreadyStartedError)) throw thrown;
    }
  }

  /**
   * Notes which workers are connected and what they measure, and asks those of a lab's own backends to describe themselves. The
   * simulator's workers belong to Calibron and have nothing to announce.
   */
  return async function look(now = new Date()): Promise<void> {
    const names = await backends();
    const foreign = names.filter((name) => name !== SIMULATOR_BACKEND);
    const measuring =
      foreign.length === 0 ? new Map() : await readMeasuring(engine, executions, new Set(foreign));
    for (const name of names) {
      await see(name, measuring.get(name) ?? [], now);
      if (name === SIMULATOR_BACKEND) continue;
      const calls = dueDescriptions(await store.of(name, goneBefore(now)), now);
      if (calls > 0) await ask(name, calls);
    }
    await store.forget(new Date(now.getTime() - REMEMBERED));
  };
}
