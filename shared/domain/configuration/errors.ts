import { errorClass } from '../../kernel/errors.ts';

/** Errors of the configuration files and their repository, besides those of the kernel. */
export const ConfigurationError = errorClass({
  invalid_configuration: 400,
  repository_unavailable: 503,
});
