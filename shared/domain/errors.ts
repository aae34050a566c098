import { z } from 'zod';
import { kernelErrors } from '../kernel/errors.ts';
import { AccountError } from './accounts/errors.ts';
import { AdministrationError } from './administration/errors.ts';
import { AgentSessionError } from './agent-sessions/errors.ts';
import { ApprovalError } from './approvals/errors.ts';
import { BackendError } from './backend-workers/errors.ts';
import { ConfigurationError } from './configuration/errors.ts';
import { FlowCheckError } from './flows/errors.ts';
import { IdentityProviderError } from './identity-provider/errors.ts';
import { ModelError } from './language-models/errors.ts';
import { ProjectError } from './projects/errors.ts';
import { RunError } from './runs/errors.ts';
import { UpdateError } from './system-updates/errors.ts';
import { UpdateGateError } from './update-gate/errors.ts';

/** All errors that a caller can get: stable code → HTTP status. */
export const errorStatus = {
  ...kernelErrors,
  ...AccountError.statuses,
  ...AdministrationError.statuses,
  ...ProjectError.statuses,
  ...ConfigurationError.statuses,
  ...IdentityProviderError.statuses,
  ...FlowCheckError.statuses,
  ...RunError.statuses,
  ...BackendError.statuses,
  ...ApprovalError.statuses,
  ...UpdateGateError.statuses,
  ...ModelError.statuses,
  ...AgentSessionError.statuses,
  ...UpdateError.statuses,
};

export type ErrorCode = keyof typeof errorStatus;

/** The code of an error. Serialized as any text, so that an unlisted code would still reach the client. */
export const errorCode = z.string().meta({
  id: 'ErrorCode',
  enum: Object.keys(errorStatus),
  description: 'The stable name of an error, for programs. Later versions may add names.',
});

/** Body of all error answers except 422. */
export const errorBody = z
  .object({ detail: z.string().describe('Message for users.'), code: errorCode })
  .meta({ id: 'Error' });
