export { authRoutes } from './auth.ts';
export { identityProviderRoutes } from './identity-provider.ts';
export { programTokenRoutes } from './program-tokens.ts';
