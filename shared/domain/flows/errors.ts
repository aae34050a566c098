import { errorClass } from '../../kernel/errors.ts';

/** Errors of flows, besides those of the kernel. */
export const FlowCheckError = errorClass({
  invalid_flow: 400,
});
