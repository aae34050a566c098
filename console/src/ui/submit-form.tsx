import type { FormEvent, ReactNode } from 'react';
import { Button, Form } from 'react-aria-components';
import { Problem } from './feedback.tsx';

interface SubmitFormProps {
  /** The request that the form sends: a mutation of what was typed. */
  sending: { mutate(form: FormData): void; error: Error | null; isPending: boolean };
  /** Text of the button. */
  text: string;
  isDanger?: boolean;
  children: ReactNode;
}

/** A form with its button, which sends the typed values and shows why they were refused. */
export function SubmitForm({ sending, text, isDanger, children }: SubmitFormProps) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    sending.mutate(new FormData(event.currentTarget));
  };
  return (
    <Form onSubmit={submit}>
      {children}
      {sending.error && <Problem error={sending.error} />}
      <div className="buttons">
        <Button type="submit" className={isDanger ? 'danger' : 'primary'} isPending={sending.isPending}>
          {text}
        </Button>
      </div>
    </Form>
  );
}
