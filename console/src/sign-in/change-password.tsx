import { useMutation } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { Button, FieldError, Form, Input, Label, Text, TextField } from 'react-aria-components';
import { api } from '../api.ts';
import { Problem } from '../ui/feedback.tsx';

const SHORTEST = 8;

/** Replaces a temporary password before anything else can be done. */
export function ChangePassword({
  username,
  onChanged,
}: {
  username: string;
  onChanged: () => Promise<void>;
}) {
  const changing = useMutation({
    mutationFn: async (form: FormData) => {
      const text = (name: string) => String(form.get(name) ?? '');
      await api.POST('/auth/change-password', {
        body: { current_password: text('current'), new_password: text('new') },
      });
    },
    onSuccess: onChanged,
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    changing.mutate(new FormData(event.currentTarget));
  };
  return (
    <main className="sign-in">
      <h1>Choose a password</h1>
      <p className="muted">{username} has a temporary password. Replace it to continue.</p>
      <Form onSubmit={submit}>
        <input type="hidden" name="username" autoComplete="username" value={username} />
        <TextField name="current" type="password" isRequired autoFocus autoComplete="current-password">
          <Label>Temporary password</Label>
          <Input />
        </TextField>
        <TextField name="new" type="password" isRequired minLength={SHORTEST} autoComplete="new-password">
          <Label>New password</Label>
          <Input />
          <Text slot="description">At least {SHORTEST} characters.</Text>
          <FieldError />
        </TextField>
        {changing.error && <Problem error={changing.error} />}
        <Button type="submit" className="primary" isPending={changing.isPending}>
          Change the password
        </Button>
      </Form>
    </main>
  );
}
