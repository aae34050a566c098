import { defineArea, type Kernel } from '../../kernel/area.ts';
import { CalibronError } from '../../kernel/errors.ts';
import type { Accounts } from '../accounts/index.ts';
import type { AccountSettings } from '../accounts/settings.ts';
import type { Projects } from '../projects/index.ts';
import { groupRolesOf } from './group-rules.ts';
import type { SignInProviders } from './model.ts';
import { createProvider, type ProviderConfiguration } from './provider.ts';
import type { IdentityProviderSettings } from './settings.ts';
import { createSigningIn, signingInIndexes } from './signing-in.ts';

interface Needs extends Kernel<IdentityProviderSettings & AccountSettings> {
  accounts: Accounts;
  projects: Projects;
}

export type IdentityProviders = ReturnType<typeof identityProvider.create>;

/** Sign-in with the lab's identity provider, where the settings name one. */
export const identityProvider = defineArea({
  name: 'identityProvider',
  indexes: signingInIndexes,
  create({ db, settings, accounts, projects }: Needs) {
    const configuration = configurationOf(settings);
    const provider = configuration && createProvider(configuration, settings);
    const signingIn =
      provider &&
      createSigningIn({
        db,
        provider,
        settings,
        groupRoles: groupRolesOf(settings.OIDC_GROUP_ROLES),
        accounts,
        projects,
      });
    return {
      /** The ways to sign in. */
      providers: (): SignInProviders => ({
        password: settings.PASSWORD_SIGN_IN,
        providers: configuration
          ? [
              {
                provider_id: 'oidc',
                name: settings.OIDC_NAME,
                login_url: new URL('login', configuration.redirectUri).href,
              },
            ]
          : [],
      }),

      /** @throws not_found where the settings name no provider */
      signingIn() {
        if (signingIn) return signingIn;
        throw new CalibronError('not_found', 'This installation has no identity provider.');
      },

      /** Where a browser ends its session with the provider; null for none. */
      logoutUrl: async (): Promise<string | null> => provider?.logoutUrl(settings.CLIENT_URL) ?? null,

      /** Whether cookies of the sign-in travel over HTTPS only. */
      isSecure: configuration?.redirectUri.startsWith('https:') ?? true,
    };
  },
});

/** The provider of the settings, which name all of it or nothing; null for none. */
function configurationOf(settings: IdentityProviderSettings): ProviderConfiguration | null {
  const { OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, OIDC_REDIRECT_URI } = settings;
  if (!OIDC_ISSUER || !OIDC_CLIENT_ID || !OIDC_CLIENT_SECRET || !OIDC_REDIRECT_URI) return null;
  return {
    issuer: OIDC_ISSUER,
    clientId: OIDC_CLIENT_ID,
    clientSecret: OIDC_CLIENT_SECRET,
    redirectUri: OIDC_REDIRECT_URI,
  };
}
