import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useBlocker, useNavigate } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import { Button, Input, Label, TextField } from 'react-aria-components';
import { api, isProblem, messageOf } from '../api.ts';
import { useProjectId, useSession } from '../session.tsx';
import { Problem } from '../ui/feedback.tsx';
import { CodeEditor } from './code-editor.tsx';
import { type EditedFlow, useSaving } from './flow-saving.ts';
import { problemsIn } from './flow-text.ts';

interface FlowEditorProps {
  flow: EditedFlow;
  /** Tag of the flow as it was read; null for one that is new. */
  tag: string | null;
  isNew: boolean;
  onChanged?(isChanged: boolean): void;
}

const NOTHING = () => {};

type Typed = Pick<EditedFlow, 'code' | 'description'>;

const isDifferent = (a: Typed, b: Typed) => a.code !== b.code || a.description !== b.description;

/**
 * What is typed of a flow, beside what is saved of it. A flow that is read again replaces what is typed only if nothing was
 * changed: what is typed while a save is on its way stays.
 */
function useTyped({ code, description }: EditedFlow, tag: string | null) {
  const read = { code, description, tag };
  const [lastRead, setLastRead] = useState(read);
  const [saved, setSaved] = useState(read);
  const [typed, setTyped] = useState<Typed>({ code, description });
  const [editorKey, setEditorKey] = useState(0);
  const isChanged = isDifferent(typed, saved);
  if (tag !== lastRead.tag) {
    setLastRead(read);
    if (!isChanged) {
      setSaved(read);
      if (isDifferent(read, saved)) {
        setTyped({ code, description });
        setEditorKey((key) => key + 1);
      }
    }
  }
  return { typed, setTyped, saved, setSaved, isChanged, editorKey };
}

/** The code of a flow to change. It is checked by the service when it is saved; problems are shown at their lines. */
export function FlowEditor({ flow, tag, isNew, onChanged = NOTHING }: FlowEditorProps) {
  const { mayWrite } = useSession();
  const navigate = useNavigate({ from: '/flows' });
  const { typed, setTyped, saved, setSaved, isChanged, editorKey } = useTyped(flow, tag);
  const { code, description } = typed;
  const saving = useSaving();
  const isRefused = isProblem(saving.error, 'invalid_flow');
  const problems = useMemo(
    () => (isRefused ? problemsIn(messageOf(saving.error)) : []),
    [isRefused, saving.error],
  );
  useEffect(() => onChanged(isChanged), [isChanged, onChanged]);
  useBlocker({
    shouldBlockFn: ({ current, next }) =>
      isChanged &&
      (current.pathname !== next.pathname || openIn(current.search) !== openIn(next.search)) &&
      !confirm('The flow has changes that are not saved. Leave it?'),
    enableBeforeUnload: isChanged,
  });
  const mayBeSaved = mayWrite && flow.name !== '' && !saving.isPending;
  const save = (now: Typed) => {
    if (!mayBeSaved || !(isNew || isDifferent(now, saved))) return;
    saving.mutate(
      { flow, ...now, tag: saved.tag },
      {
        onSuccess: (newTag) => {
          setSaved({ ...now, tag: newTag });
          if (isNew)
            void navigate({
              search: (now) => ({ project: now.project, chip: now.chip, flow: flow.name }),
              ignoreBlocker: true,
            });
        },
      },
    );
  };
  return (
    <>
      <TextField
        className="inline-field description"
        value={description}
        onChange={(text) => setTyped((before) => ({ ...before, description: text }))}
        isReadOnly={!mayWrite}
      >
        <Label>Description</Label>
        <Input />
      </TextField>
      <CodeEditor
        key={editorKey}
        initial={code}
        label={`Code of ${flow.name || 'the new flow'}`}
        isReadOnly={!mayWrite}
        problems={problems}
        onChange={(text) => setTyped((before) => ({ ...before, code: text }))}
        onSave={(text) => save({ code: text, description })}
      />
      {saving.error && problems.length === 0 && <Problem error={saving.error} />}
      {problems.length > 0 && (
        <div className="problem" role="alert">
          <p>The flow is not saved. The service found:</p>
          <ul className="plain">
            {problems.map(({ line, message }) => (
              <li key={`${line} ${message}`}>
                <span className="number">Line {line}:</span> {message}
              </li>
            ))}
          </ul>
        </div>
      )}
      {mayWrite && (
        <div className="buttons">
          <Button
            className="primary"
            isDisabled={!mayBeSaved || !(isNew || isChanged)}
            isPending={saving.isPending}
            onPress={() => save(typed)}
          >
            Save
          </Button>
          {!isNew && <Delete name={flow.name} tag={tag} />}
          <span className="muted">
            {isNew && flow.name === '' ? 'Give the flow a name to save it.' : 'Ctrl S saves.'} Ctrl M lets Tab
            leave the editor.
          </span>
        </div>
      )}
    </>
  );
}

/** Which flow or template an address opens; the tabs of a flow keep what is typed. */
function openIn(search: object): string {
  const { flow, template }: { flow?: unknown; template?: unknown } = search;
  return `${String(flow)} ${String(template)}`;
}

function Delete({ name, tag }: { name: string; tag: string | null }) {
  const projectId = useProjectId();
  const client = useQueryClient();
  const navigate = useNavigate({ from: '/flows' });
  const [isAsked, setAsked] = useState(false);
  const deleting = useMutation({
    mutationFn: () =>
      api.DELETE('/flows/{name}', {
        params: { path: { name }, ...(tag !== null && { header: { 'if-match': tag } }) },
      }),
    onSuccess: async () => {
      await navigate({
        search: (now) => ({ project: now.project, chip: now.chip }),
        ignoreBlocker: true,
      });
      await client.invalidateQueries({ queryKey: ['flows', projectId] });
      client.removeQueries({ queryKey: ['flow', projectId, name] });
    },
  });
  if (!isAsked) {
    return (
      <Button className="danger" onPress={() => setAsked(true)}>
        Delete …
      </Button>
    );
  }
  return (
    <>
      <Button className="danger" isPending={deleting.isPending} onPress={() => deleting.mutate()}>
        Delete {name} with its schedules
      </Button>
      <Button onPress={() => setAsked(false)}>Keep it</Button>
      {deleting.error && <Problem error={deleting.error} />}
    </>
  );
}
