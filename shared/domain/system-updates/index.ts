import { defineArea, type Kernel } from '../../kernel/area.ts';
import { withinDeadline } from '../../kernel/engine/temporal.ts';
import { SYSTEM_UPDATE_ID } from '../../kernel/engine/workflow-ids.ts';
import { describeWorkflow, isOpenWorkflow } from '../../kernel/engine/workflow-status.ts';
import { CalibronError } from '../../kernel/errors.ts';
import type { MeasuringSettings } from '../backends/settings.ts';
import type { Runs } from '../runs/index.ts';
import type { UpdateGate } from '../update-gate/index.ts';
import { UpdateError } from './errors.ts';
import { lookAtInstallation } from './look.ts';
import type { StartUpdate, UpdateDocument, UpdateOperation, UpdateStatus } from './model.ts';
import { isActive } from './rules.ts';
import type { UpdateSettings } from './settings.ts';
import { createUpdateStart } from './start.ts';
import { createUpdateStore, updateIndexes } from './store.ts';
import { disabledStatus, operationOf, statusOf } from './wire.ts';

export type { UpdateStore } from './store.ts';

interface Needs extends Kernel<UpdateSettings & MeasuringSettings> {
  runs: Pick<Runs, 'holder' | 'anyOpen'>;
  updateGate: UpdateGate;
}

/** Default number of seconds without a heartbeat after which an updater counts as dead. */
const HEARTBEAT_TIMEOUT = 10;

export type SystemUpdates = ReturnType<typeof systemUpdates.create>;

/** Milliseconds within which the workflow of a requested update must exist. */
const SETTLING = 30_000;

/** Updates of the installation itself, carried out by a separate process. */
export const systemUpdates = defineArea({
  name: 'systemUpdates',
  indexes: [updateIndexes],
  create({ db, engine, settings, runs, updateGate }: Needs) {
    const store = createUpdateStore(db);
    const look = () => lookAtInstallation(engine, { fresh: false });
    const start = createUpdateStart({
      engine,
      gate: updateGate,
      store,
      look,
      lookAnew: () => lookAtInstallation(engine, { fresh: true }),
      holder: runs.holder,
      anyOpenRun: runs.anyOpen,
      heartbeatTimeout: settings.MEASURE_HEARTBEAT_TIMEOUT ?? HEARTBEAT_TIMEOUT,
    });

    function assertEnabled(): void {
      if (settings.SYSTEM_UPDATES === 'on') return;
      throw new UpdateError(
        'updater_unavailable',
        'System updates are not configured. An operator can set SYSTEM_UPDATES=on.',
      );
    }

    async function mustGet(operationId: string): Promise<UpdateDocument> {
      const stored = await store.get(operationId);
      if (stored) return stored;
      throw new CalibronError('not_found', 'There is no such update.');
    }

    /** Closes the record of an update whose workflow ended without closing it, after a terminate. */
    async function upToDate(stored: UpdateDocument): Promise<UpdateDocument> {
      if (!isActive(stored.state)) return stored;
      const workflow = await describeWorkflow(engine, SYSTEM_UPDATE_ID);
      const own = workflow?.memo?.['operation_id'] === stored._id;
      const isOpen = own
        ? workflow !== null && isOpenWorkflow(workflow.status.name)
        : Date.now() - stored.started_at.getTime() < SETTLING;
      if (isOpen) return stored;
      const message = 'The update was interrupted. Look at the installation before you start another one.';
      await store.mark(stored._id, { state: 'failed', stage: 'interrupted', message }, new Date());
      await updateGate.release(stored._id);
      return (await store.get(stored._id)) ?? stored;
    }

    return {
      store,

      /** State of the installation. @throws updater_unavailable */
      async status(): Promise<UpdateStatus> {
        if (settings.SYSTEM_UPDATES !== 'on') return disabledStatus(new Date());
        const installation = await look();
        const last = await store.last();
        return statusOf(installation, last && (await upToDate(last)));
      },

      /** @throws update_running, project_busy, update_blocked, conflict, updater_unavailable */
      async start(username: string, { expected_current_version }: StartUpdate): Promise<UpdateOperation> {
        assertEnabled();
        return operationOf(await start(username, expected_current_version ?? null));
      },

      /** A requested update. @throws not_found */
      operation: async (operationId: string): Promise<UpdateOperation> =>
        operationOf(await upToDate(await mustGet(operationId))),

      /**
       * Cancels an update that waits for an updater, so that runs may start again. An updater that picks it up later
       * finds the gate lost and leaves the installation unchanged.
       * @throws not_found, conflict once an updater has begun it, engine_unavailable
       */
      async cancel(operationId: string, username: string): Promise<UpdateOperation> {
        await mustGet(operationId);
        const message = `${username} cancelled the update before an updater began it.`;
        const mark = { state: 'failed', stage: 'interrupted', message } as const;
        const isNow = await store.endQueued(operationId, mark, new Date());
        // A repeated cancel completes an earlier one that was interrupted.
        if (!isNow && (await mustGet(operationId)).stage !== 'interrupted') {
          throw new CalibronError(
            'conflict',
            'Only an update that still waits for the updater can be cancelled; read the status of this one.',
          );
        }
        await updateGate.release(operationId);
        const workflow = await describeWorkflow(engine, SYSTEM_UPDATE_ID);
        if (workflow?.memo?.['operation_id'] === operationId && isOpenWorkflow(workflow.status.name)) {
          const { workflowId, runId } = workflow;
          await withinDeadline(engine, () =>
            engine.client.workflow.getHandle(workflowId, runId).terminate(message),
          );
        }
        return operationOf(await mustGet(operationId));
      },
    };
  },
});
