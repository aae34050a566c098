import { errorClass } from '../../kernel/errors.ts';

/** Errors of projects, besides those of the kernel. */
export const ProjectError = errorClass({
  project_required: 400,
  owner_membership: 400,
});
