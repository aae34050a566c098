import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Button, Form, Label, Radio, RadioGroup } from 'react-aria-components';
import { api, dataOf, type Schemas } from '../api.ts';
import { useSession } from '../session.tsx';
import { Confirm, Opens } from '../ui/ask.tsx';
import { Choice } from '../ui/choice.tsx';
import { Empty, Problem, Waiting } from '../ui/feedback.tsx';
import { Field } from '../ui/field.tsx';
import { Ago } from '../ui/numbers.tsx';
import { Secret } from '../ui/secret.tsx';

type Scope = Schemas['ProgramToken']['scopes'][number];

const SCOPES: readonly { id: Scope; text: string }[] = [
  { id: 'read', text: 'read: look at everything you may see' },
  { id: 'run', text: 'run: start and control runs' },
  { id: 'operate', text: 'operate: change data, flows and schedules' },
  { id: 'administer', text: 'administer: change projects and the installation' },
];
const DAY_MS = 86_400_000;
const LIFETIMES = [
  { id: '30', text: '30 days' },
  { id: '90', text: '90 days' },
  { id: '365', text: 'a year' },
];
const EVERY_PROJECT = 'all';

/** One's own tokens, with which programs act in one's name. */
export function Tokens() {
  const { projects } = useSession();
  const client = useQueryClient();
  const [created, setCreated] = useState<Schemas['IssuedProgramToken'] | null>(null);
  const tokens = useQuery({ queryKey: ['tokens'], queryFn: () => dataOf(api.GET('/auth/tokens')) });
  const changed = () => client.invalidateQueries({ queryKey: ['tokens'] });
  const revoke = async (tokenId: string) => {
    await api.DELETE('/auth/tokens/{token_id}', { params: { path: { token_id: tokenId } } });
    await changed();
  };
  if (tokens.error) return <Problem error={tokens.error} />;
  if (!tokens.data) return <Waiting title="Tokens" />;
  const rows = tokens.data.tokens;
  const projectOf = (id: string | null) =>
    id === null
      ? 'every project of yours'
      : (projects.find(({ project_id }) => project_id === id)?.name ?? id);
  return (
    <>
      <div className="controls">
        <h1>Your tokens</h1>
        <span className="spring" />
        <Opens text="Make a token" title="Make a token" isPrimary>
          {(close) => (
            <NewToken
              onDone={async (token) => {
                close();
                setCreated(token);
                await changed();
              }}
            />
          )}
        </Opens>
      </div>
      {created && (
        <Secret title={`The token ${created.name}`} value={created.token} onDone={() => setCreated(null)} />
      )}
      {rows.length === 0 ? (
        <Empty title="You have no token yet">
          <p>
            A program or a notebook signs in with a token instead of your password. Make one for each of them.
          </p>
        </Empty>
      ) : (
        <table className="list">
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Begins with</th>
              <th scope="col">May</th>
              <th scope="col">In</th>
              <th scope="col">Last used</th>
              <th scope="col">Expires</th>
              <th scope="col">Change</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.token_id}>
                <th scope="row">{row.name}</th>
                <td>
                  <code>{row.prefix}</code>
                </td>
                <td>{row.scopes.join(', ')}</td>
                <td>{projectOf(row.project_id)}</td>
                <td>{row.last_used_at ? <Ago time={row.last_used_at} /> : 'never'}</td>
                <td>
                  <Ago time={row.expires_at} />
                </td>
                <td>
                  <Confirm
                    text="Revoke"
                    label={`Revoke ${row.name}`}
                    question={`Revoke the token ${row.name}?`}
                    onConfirm={() => revoke(row.token_id)}
                  >
                    <p>Programs that use it are refused at once. This cannot be undone.</p>
                  </Confirm>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}

function NewToken({ onDone }: { onDone(token: Schemas['IssuedProgramToken']): Promise<void> }) {
  const { projects, project } = useSession();
  const [scope, setScope] = useState('read');
  const [projectId, setProjectId] = useState(project?.project_id ?? EVERY_PROJECT);
  const [days, setDays] = useState('90');
  const creating = useMutation({
    mutationFn: (name: string) =>
      dataOf(
        api.POST('/auth/tokens', {
          body: {
            name,
            scopes: SCOPES.map(({ id }) => id).filter((id) => id === scope),
            project_id: projectId === EVERY_PROJECT ? null : projectId,
            expires_at: new Date(Date.now() + Number(days) * DAY_MS).toISOString(),
          },
        }),
      ),
    onSuccess: onDone,
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    creating.mutate(String(new FormData(event.currentTarget).get('name') ?? ''));
  };
  return (
    <Form onSubmit={submit}>
      <Field name="name" label="Name" isRequired autoFocus hint="Of the program that will use it." />
      <RadioGroup value={scope} onChange={setScope}>
        <Label>What it may do</Label>
        {SCOPES.map(({ id, text }) => (
          <Radio key={id} value={id}>
            {text}
          </Radio>
        ))}
      </RadioGroup>
      <Choice
        label="In"
        value={projectId}
        options={[
          ...projects.map((each) => ({ id: each.project_id, text: each.name })),
          { id: EVERY_PROJECT, text: 'every project of yours' },
        ]}
        onChange={setProjectId}
      />
      <Choice label="Ends after" value={days} options={LIFETIMES} onChange={setDays} />
      {creating.error && <Problem error={creating.error} />}
      <div className="buttons">
        <Button type="submit" className="primary" isPending={creating.isPending}>
          Make it
        </Button>
      </div>
    </Form>
  );
}
