import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf, type Schemas } from '../api.ts';
import { useSession } from '../session.tsx';
import { Opens } from '../ui/ask.tsx';
import { Problem, Waiting } from '../ui/feedback.tsx';
import { Field } from '../ui/field.tsx';
import { Secret } from '../ui/secret.tsx';
import { SubmitForm } from '../ui/submit-form.tsx';
import { CurrentPassword } from './current-password.tsx';
import { Passkeys } from './passkeys.tsx';

const SHORTEST = 8;

/** The user's ways to sign in: password, second factor and passkeys. */
export function Account() {
  const { user } = useSession();
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const client = useQueryClient();
  const factor = useQuery({
    queryKey: ['second factor'],
    queryFn: () => dataOf(api.GET('/auth/second-factor')),
  });
  if (factor.error) return <Problem error={factor.error} />;
  if (!factor.data) return <Waiting title="Account" />;
  const { enabled, recovery_codes_left } = factor.data;
  return (
    <>
      <h1>Sign-in of {user.username}</h1>
      <div className="buttons">
        <Opens text="Change the password" title="Change the password">
          {(close) => <Password onDone={close} />}
        </Opens>
      </div>
      <h2>Second factor</h2>
      {codes && <Secret title="Recovery codes" value={codes.join('  ')} onDone={() => setCodes(null)} />}
      {enabled ? (
        <p>
          A sign-in needs a code of your authenticator app or a passkey. {recovery_codes_left} recovery codes
          are left.
        </p>
      ) : (
        <>
          <p className="muted">
            With one, your password alone is not enough to sign in. Passkeys require it.
          </p>
          <div className="buttons">
            <Opens text="Add a second factor" title="Add a second factor">
              {(close) => (
                <SecondFactor
                  onDone={async (made) => {
                    close();
                    setCodes(made);
                    await client.invalidateQueries({ queryKey: ['second factor'] });
                  }}
                />
              )}
            </Opens>
          </div>
        </>
      )}
      {enabled && <Passkeys />}
    </>
  );
}

function Password({ onDone }: { onDone(): void }) {
  const changing = useMutation({
    mutationFn: (form: FormData) =>
      api.POST('/auth/change-password', {
        body: {
          current_password: String(form.get('current') ?? ''),
          new_password: String(form.get('new') ?? ''),
        },
      }),
    onSuccess: onDone,
  });
  return (
    <SubmitForm sending={changing} text="Change it">
      <CurrentPassword />
      <Field
        name="new"
        label="New password"
        type="password"
        isRequired
        minLength={SHORTEST}
        autoComplete="new-password"
        hint={`At least ${SHORTEST} characters. All your other sessions end.`}
      />
    </SubmitForm>
  );
}

/** Shows the secret for the authenticator app, then asks for a code to confirm it. */
function SecondFactor({ onDone }: { onDone(recoveryCodes: readonly string[]): Promise<void> }) {
  const [secret, setSecret] = useState<Schemas['SecondFactorSetup'] | null>(null);
  const stepping = useMutation({
    mutationFn: async (form: FormData) => {
      if (!secret) {
        const current_password = String(form.get('current') ?? '');
        setSecret(await dataOf(api.POST('/auth/second-factor', { body: { current_password } })));
        return;
      }
      const otp = String(form.get('otp') ?? '');
      const { recovery_codes } = await dataOf(api.POST('/auth/second-factor/confirm', { body: { otp } }));
      await onDone(recovery_codes);
    },
  });
  return (
    <SubmitForm sending={stepping} text={secret ? 'Confirm' : 'Continue'}>
      {secret ? (
        <>
          <p>
            Add this key to your authenticator app, or <a href={secret.uri}>open the app</a> on this device:
          </p>
          <code className="key">{secret.secret}</code>
          <Field
            key="otp"
            name="otp"
            label="Code of the app"
            inputMode="numeric"
            isRequired
            autoFocus
            autoComplete="one-time-code"
          />
        </>
      ) : (
        <CurrentPassword />
      )}
    </SubmitForm>
  );
}
