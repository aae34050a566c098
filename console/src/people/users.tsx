import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from 'react-aria-components';
import { api, dataOf, type Schemas } from '../api.ts';
import { useSession } from '../session.tsx';
import { Confirm, Opens } from '../ui/ask.tsx';
import { Choice } from '../ui/choice.tsx';
import { Problem, Waiting } from '../ui/feedback.tsx';
import { Field } from '../ui/field.tsx';
import { Paging } from '../ui/paging.tsx';
import { Secret } from '../ui/secret.tsx';
import { SubmitForm } from '../ui/submit-form.tsx';
import { Person } from './members.tsx';

const PAGE = 50;
const ROLES = [
  { id: 'user', text: 'user' },
  { id: 'admin', text: 'administrator' },
] as const;

interface Temporary {
  username: string;
  password: string;
}

/** The accounts of the installation, for its administrators. */
export function Users() {
  const { user: me } = useSession();
  const client = useQueryClient();
  const search = useSearch({ from: '/people' });
  const navigate = useNavigate({ from: '/people' });
  const [temporary, setTemporary] = useState<Temporary | null>(null);
  const skip = search.skip ?? 0;
  const users = useQuery({
    queryKey: ['users', skip],
    queryFn: () => dataOf(api.GET('/admin/users', { params: { query: { skip, limit: PAGE } } })),
    placeholderData: (previous) => previous,
  });
  const changed = () => client.invalidateQueries({ queryKey: ['users'] });
  const changing = useMutation({
    mutationFn: ({ username, change }: { username: string; change: Schemas['UserChange'] }) =>
      api.PUT('/admin/users/{username}', { params: { path: { username } }, body: change }),
    onSettled: changed,
  });
  const reset = async (username: string) => {
    const { initial_password } = await dataOf(api.POST('/auth/reset-password', { body: { username } }));
    if (initial_password) setTemporary({ username, password: initial_password });
    await changed();
  };
  const remove = async (username: string) => {
    await api.DELETE('/admin/users/{username}', { params: { path: { username } } });
    await changed();
  };
  if (users.error) return <Problem error={users.error} />;
  if (!users.data) return <Waiting title="Users" />;
  const { users: rows, total } = users.data;
  return (
    <>
      <div className="controls">
        <h1>Users</h1>
        <span className="muted">{total} in all</span>
        <span className="spring" />
        <Opens text="Create an account" title="Create an account" isPrimary>
          {(close) => (
            <NewUser
              onDone={async (made) => {
                close();
                setTemporary(made);
                await changed();
              }}
            />
          )}
        </Opens>
      </div>
      {temporary && (
        <Secret
          title={`The temporary password of ${temporary.username}`}
          value={temporary.password}
          onDone={() => setTemporary(null)}
        />
      )}
      {changing.error && <Problem error={changing.error} />}
      <table className="list">
        <thead>
          <tr>
            <th scope="col">User</th>
            <th scope="col">Organization</th>
            <th scope="col">Role</th>
            <th scope="col">State</th>
            <th scope="col">Change</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.user_id}>
              <th scope="row">
                <Person {...row} />
              </th>
              <td>{row.organization ?? ''}</td>
              <td>
                {row.user_id === me.user_id ? (
                  ROLES.find(({ id }) => id === row.system_role)?.text
                ) : (
                  <Choice
                    label={`Role of ${row.username}`}
                    isLabelHidden
                    value={row.system_role}
                    options={ROLES}
                    onChange={(system_role) =>
                      changing.mutate({ username: row.username, change: { system_role } })
                    }
                  />
                )}
              </td>
              <td className="muted">
                {row.disabled ? 'disabled' : row.must_change_password ? 'must change the password' : 'active'}
              </td>
              <td>
                {row.user_id !== me.user_id && (
                  <div className="buttons">
                    <Button
                      aria-label={`${row.disabled ? 'Enable' : 'Disable'} ${row.username}`}
                      isDisabled={changing.isPending}
                      onPress={() =>
                        changing.mutate({ username: row.username, change: { disabled: !row.disabled } })
                      }
                    >
                      {row.disabled ? 'Enable' : 'Disable'}
                    </Button>
                    <Confirm
                      text="Reset the password"
                      label={`Reset the password of ${row.username}`}
                      question={`Reset the password of ${row.username}?`}
                      onConfirm={() => reset(row.username)}
                    >
                      <p>
                        They are signed out everywhere, and get a temporary password, which is shown to you
                        once.
                      </p>
                    </Confirm>
                    <Confirm
                      text="Delete"
                      label={`Delete ${row.username}`}
                      question={`Delete ${row.username}?`}
                      onConfirm={() => remove(row.username)}
                    >
                      <p>
                        The account, its memberships and the projects that it owns are deleted with everything
                        in them. This cannot be undone.
                      </p>
                    </Confirm>
                  </div>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <Paging
        {...{ skip }}
        page={PAGE}
        total={total}
        onSkip={(next) => void navigate({ search: (now) => ({ ...now, skip: next || undefined }) })}
      />
    </>
  );
}

function NewUser({ onDone }: { onDone(made: Temporary | null): Promise<void> }) {
  const registering = useMutation({
    mutationFn: async (form: FormData) => {
      const text = (name: string) => String(form.get(name) ?? '').trim() || null;
      return dataOf(
        api.POST('/auth/register', {
          body: {
            username: text('username') ?? '',
            display_name: text('display_name'),
            organization: text('organization'),
          },
        }),
      );
    },
    onSuccess: ({ username, initial_password }) =>
      onDone(initial_password === null ? null : { username, password: initial_password }),
  });
  return (
    <SubmitForm sending={registering} text="Make it">
      <Field name="username" label="Username" isRequired autoFocus autoComplete="off" />
      <Field name="display_name" label="Name" autoComplete="off" />
      <Field
        name="organization"
        label="Organization"
        autoComplete="off"
        hint="The account gets a temporary password, which is shown to you once."
      />
    </SubmitForm>
  );
}
