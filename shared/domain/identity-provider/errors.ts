import { errorClass } from '../../kernel/errors.ts';

/** Errors of the sign-in with an identity provider, besides those of the kernel. */
export const IdentityProviderError = errorClass({
  sign_in_refused: 401,
  identity_provider_unavailable: 503,
});
