import { errorClass } from '../../kernel/errors.ts';

/** Errors of language models, besides those of the kernel. */
export const ModelError = errorClass({
  unknown_model: 400,
  model_not_allowed: 400,
  model_failed: 502,
  ai_disabled: 503,
  model_unavailable: 503,
});
