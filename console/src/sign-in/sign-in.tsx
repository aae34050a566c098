import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import { Button, Form, Input, Label, TextField } from 'react-aria-components';
import { api, dataOf, isProblem } from '../api.ts';
import { hasPasskeys, signWithPasskey } from '../passkeys.ts';
import { Problem } from '../ui/feedback.tsx';

/** Signs in with username and password, a code where the account has a second factor, or the lab's identity provider. */
export function SignIn({ onSignedIn }: { onSignedIn: () => Promise<void> }) {
  const [needsCode, setNeedsCode] = useState(false);
  const ways = useQuery({ queryKey: ['ways to sign in'], queryFn: () => dataOf(api.GET('/auth/providers')) });
  const form = useRef<HTMLFormElement>(null);
  const signingIn = useMutation({
    mutationFn: async ({ form, withPasskey }: { form: FormData; withPasskey: boolean }) => {
      const text = (name: string) => String(form.get(name) ?? '');
      const otp = text('otp');
      const known = { username: text('username'), password: text('password') };
      const passkey = withPasskey
        ? await signWithPasskey(await dataOf(api.POST('/auth/passkeys/sign-in', { body: known })))
        : null;
      await api.POST('/auth/login', {
        body: { ...known, ...(passkey !== null ? { passkey } : otp !== '' && { otp }) },
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        bodySerializer: (body) =>
          new URLSearchParams(Object.entries(body).map(([key, value]) => [key, String(value)])),
      });
    },
    onSuccess: onSignedIn,
    onError: (thrown) => setNeedsCode(needsCode || isProblem(thrown, 'second_factor_required')),
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    signingIn.mutate({ form: new FormData(event.currentTarget), withPasskey: false });
  };
  return (
    <main className="sign-in">
      <h1>Calibron</h1>
      <p className="muted">Sign in to see your chips.</p>
      <Form ref={form} onSubmit={submit}>
        <TextField name="username" isRequired autoFocus autoComplete="username">
          <Label>Username</Label>
          <Input />
        </TextField>
        <TextField name="password" type="password" isRequired autoComplete="current-password">
          <Label>Password</Label>
          <Input />
        </TextField>
        {needsCode && (
          <TextField name="otp" inputMode="numeric" autoComplete="one-time-code" autoFocus>
            <Label>Code of your authenticator app</Label>
            <Input />
          </TextField>
        )}
        {signingIn.error && <Problem error={signingIn.error} />}
        <Button type="submit" className="primary" isPending={signingIn.isPending}>
          Sign in
        </Button>
        {needsCode && hasPasskeys && (
          <Button
            isDisabled={signingIn.isPending}
            onPress={() => {
              if (form.current) signingIn.mutate({ form: new FormData(form.current), withPasskey: true });
            }}
          >
            Sign in with a passkey
          </Button>
        )}
      </Form>
      {ways.data?.providers.map((way) => (
        <a key={way.provider_id} className="button" href={way.login_url}>
          Sign in with {way.name}
        </a>
      ))}
    </main>
  );
}
