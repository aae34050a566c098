import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import { Button, FieldError, Form, Input, Label, TextArea, TextField } from 'react-aria-components';
import { api, dataOf } from '../api.ts';
import { useProjectId } from '../session.tsx';
import { Problem } from '../ui/feedback.tsx';

/** Maximum number of members that are offered while a name is typed. */
const OFFERED = 6;
const MENTION = /(?<![\p{L}\p{N}_.-])@([A-Za-z0-9_.-]*)$/u;

export interface Draft {
  title: string;
  content: string;
}

interface ComposeProps {
  label: string;
  /** The label of the button. */
  action: string;
  /** Whether there is a title too. */
  hasTitle?: boolean;
  initial?: string;
  rows?: number;
  /** Sends the text. Then the form is emptied; it keeps the text if sending fails. */
  onSend(draft: Draft): Promise<unknown>;
  onCancel?(): void;
}

/** A form for a text. While a name is typed after an @, it offers the members whose names begin so. */
export function Compose({ label, action, hasTitle, initial = '', rows = 3, onSend, onCancel }: ComposeProps) {
  const [title, setTitle] = useState('');
  const [content, setContent] = useState(initial);
  /** The part of a name that is typed after an @; null elsewhere. */
  const [begun, setBegun] = useState<string | null>(null);
  const [isPending, setPending] = useState(false);
  const [error, setError] = useState<unknown>();
  const area = useRef<HTMLTextAreaElement>(null);
  const noteMention = () => {
    const element = area.current;
    const before = element?.value.slice(0, element.selectionStart) ?? '';
    setBegun(MENTION.exec(before)?.[1] ?? null);
  };
  const mention = (username: string) => {
    const element = area.current;
    if (!element || begun === null) return;
    const caret = element.selectionStart;
    const start = caret - begun.length;
    const written = `${content.slice(0, start)}${username} `;
    setContent(written + content.slice(caret));
    setBegun(null);
    requestAnimationFrame(() => {
      element.focus();
      element.setSelectionRange(written.length, written.length);
    });
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setPending(true);
    setError(undefined);
    onSend({ title: title.trim(), content })
      .then(() => {
        setTitle('');
        setContent('');
      }, setError)
      .finally(() => setPending(false));
  };
  return (
    <Form className="compose" onSubmit={submit}>
      {hasTitle && (
        <TextField value={title} onChange={setTitle} isRequired>
          <Label>Title</Label>
          <Input />
          <FieldError />
        </TextField>
      )}
      <TextField value={content} onChange={setContent} isRequired={initial === ''}>
        <Label>{label}</Label>
        <TextArea ref={area} rows={rows} onInput={noteMention} onKeyUp={noteMention} onClick={noteMention} />
      </TextField>
      {begun !== null && <Offers begun={begun} onChoose={mention} />}
      {error !== undefined && <Problem error={error} />}
      <div className="buttons">
        <Button type="submit" isPending={isPending}>
          {action}
        </Button>
        {onCancel && (
          <Button className="quiet" onPress={onCancel}>
            Leave it
          </Button>
        )}
      </div>
    </Form>
  );
}

/** Members whose names begin with what is typed. */
function Offers({ begun, onChoose }: { begun: string; onChoose(username: string): void }) {
  const projectId = useProjectId();
  const members = useQuery({
    queryKey: ['members', projectId],
    queryFn: () =>
      dataOf(api.GET('/projects/{project_id}/members', { params: { path: { project_id: projectId } } })),
    staleTime: 60_000,
  });
  const names = (members.data?.members ?? [])
    .filter(({ status }) => status === 'active')
    .map(({ username }) => username);
  const fitting = [...names, 'project'].filter((name) => name.startsWith(begun.toLowerCase()));
  return (
    <fieldset className="buttons" aria-label="Members to mention">
      {fitting.slice(0, OFFERED).map((name) => (
        <Button key={name} className="quiet" onPress={() => onChoose(name)}>
          @{name}
        </Button>
      ))}
    </fieldset>
  );
}
