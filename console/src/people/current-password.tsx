import { Field } from '../ui/field.tsx';

/** The password that what changes a sign-in asks for again. */
export function CurrentPassword() {
  return (
    <Field
      name="current"
      label="Your password"
      type="password"
      isRequired
      autoFocus
      autoComplete="current-password"
    />
  );
}
