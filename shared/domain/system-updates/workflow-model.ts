import { workflowContract } from '../../kernel/engine/workflow-contract.ts';
import type { Installation, SystemUpdateInput } from './model.ts';

/** Brings the installation to another version. */
export const systemUpdate = workflowContract<(input: SystemUpdateInput) => Promise<unknown>>('systemUpdate');

/** Looks up the state of the installation. */
export const installationLook =
  workflowContract<(input: InstallationLookInput) => Promise<Installation>>('installationLook');

export interface InstallationLookInput {
  /** Whether the remote is asked even if its last answer is recent. */
  fresh: boolean;
}

/** Id of the workflow that looks up available versions. Concurrent requests share its answer. */
export const INSTALLATION_LOOK_ID = 'system-update/look';
/** The same for looks that ask the remote again. */
export const FRESH_LOOK_ID = 'system-update/fresh-look';
