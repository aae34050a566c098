import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf, type Schemas } from '../api.ts';
import { type Role, useProjectId, useSession } from '../session.tsx';
import { Confirm, Opens } from '../ui/ask.tsx';
import { Choice } from '../ui/choice.tsx';
import { Problem, Waiting } from '../ui/feedback.tsx';
import { Field } from '../ui/field.tsx';
import { Ago } from '../ui/numbers.tsx';
import { SubmitForm } from '../ui/submit-form.tsx';

/** Roles that an owner may give. */
const GIVEN: readonly { id: 'editor' | 'viewer'; text: string }[] = [
  { id: 'editor', text: 'editor' },
  { id: 'viewer', text: 'viewer' },
];
const meanings: Readonly<Record<Role, string>> = {
  owner: 'changes everything and everybody',
  editor: 'starts runs and changes data',
  viewer: 'sees everything, changes nothing',
};

/** The members of the project with their roles, which its owner may change. */
export function Members() {
  const { project, role } = useSession();
  const projectId = useProjectId();
  const client = useQueryClient();
  const members = useQuery({
    queryKey: ['members', projectId],
    queryFn: () =>
      dataOf(api.GET('/projects/{project_id}/members', { params: { path: { project_id: projectId } } })),
  });
  const changed = () => client.invalidateQueries({ queryKey: ['members', projectId] });
  const giving = useMutation({
    mutationFn: ({ username, role }: { username: string; role: Role }) =>
      api.PATCH('/projects/{project_id}/members/{username}', {
        params: { path: { project_id: projectId, username } },
        body: { role },
      }),
    onSettled: changed,
  });
  const remove = async (username: string) => {
    await api.DELETE('/projects/{project_id}/members/{username}', {
      params: { path: { project_id: projectId, username } },
    });
    await changed();
  };
  if (members.error) return <Problem error={members.error} />;
  if (!members.data) return <Waiting title="Members" />;
  const isOwner = role === 'owner';
  const rows = members.data.members.filter(({ status }) => status !== 'revoked');
  return (
    <>
      <div className="controls">
        <h1>Members of {project?.name}</h1>
        <span className="spring" />
        {isOwner && (
          <Opens text="Add a member" title={`Add a member to ${project?.name}`} isPrimary>
            {(close) => <NewMember projectId={projectId} onDone={() => void changed().then(close)} />}
          </Opens>
        )}
      </div>
      {!isOwner && <p className="muted">The owner of the project adds members and gives them their roles.</p>}
      {giving.error && <Problem error={giving.error} />}
      <table className="list">
        <thead>
          <tr>
            <th scope="col">Member</th>
            <th scope="col">Role</th>
            <th scope="col">What that means</th>
            <th scope="col">Last here</th>
            <th scope="col">Invited by</th>
            {isOwner && <th scope="col">Change</th>}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.user_id}>
              <th scope="row">
                <Person {...row} />
              </th>
              <td>
                {isOwner && row.role !== 'owner' ? (
                  <Choice
                    label={`Role of ${row.username}`}
                    isLabelHidden
                    value={row.role}
                    options={GIVEN}
                    onChange={(chosen) => giving.mutate({ username: row.username, role: chosen })}
                  />
                ) : (
                  row.role
                )}
              </td>
              <td className="muted">{meanings[row.role]}</td>
              <td>
                <Ago time={row.last_accessed_at} />
              </td>
              <td>{row.invited_by ?? '–'}</td>
              {isOwner && (
                <td>
                  {row.role !== 'owner' && (
                    <Confirm
                      text="Remove"
                      label={`Remove ${row.username}`}
                      question={`Remove ${row.username} from ${project?.name}?`}
                      onConfirm={() => remove(row.username)}
                    >
                      <p>The project is closed to them at once. You can add them again.</p>
                    </Confirm>
                  )}
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

/** A user by name. */
export function Person({ username, display_name }: Pick<Schemas['User'], 'username' | 'display_name'>) {
  return (
    <>
      {username}
      {display_name && display_name !== username && <span className="muted"> {display_name}</span>}
    </>
  );
}

function NewMember({ projectId, onDone }: { projectId: string; onDone(): void }) {
  const { project } = useSession();
  const [role, setRole] = useState<'editor' | 'viewer'>(
    project?.default_role === 'editor' ? 'editor' : 'viewer',
  );
  const adding = useMutation({
    mutationFn: (form: FormData) =>
      api.POST('/projects/{project_id}/members', {
        params: { path: { project_id: projectId } },
        body: { username: String(form.get('username') ?? ''), role },
      }),
    onSuccess: onDone,
  });
  return (
    <SubmitForm sending={adding} text="Add">
      <Field
        name="username"
        label="Username"
        isRequired
        autoFocus
        autoComplete="off"
        hint="An administrator makes the account first. Where strangers are concealed, a name without one looks like a member."
      />
      <Choice label="Role" value={role} options={GIVEN} onChange={(id) => setRole(id)} />
    </SubmitForm>
  );
}
