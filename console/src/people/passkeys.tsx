import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, dataOf } from '../api.ts';
import { hasPasskeys, makePasskey } from '../passkeys.ts';
import { Opens } from '../ui/ask.tsx';
import { Problem } from '../ui/feedback.tsx';
import { Field } from '../ui/field.tsx';
import { Ago } from '../ui/numbers.tsx';
import { SubmitForm } from '../ui/submit-form.tsx';
import { CurrentPassword } from './current-password.tsx';

/** One's passkeys, which replace the codes of a second factor. */
export function Passkeys() {
  const client = useQueryClient();
  const passkeys = useQuery({ queryKey: ['passkeys'], queryFn: () => dataOf(api.GET('/auth/passkeys')) });
  const changed = () => client.invalidateQueries({ queryKey: ['passkeys'] });
  if (passkeys.error) return <Problem error={passkeys.error} />;
  const rows = passkeys.data?.items ?? [];
  return (
    <section aria-label="Passkeys" className="people-section">
      <h2>Passkeys</h2>
      {rows.length > 0 && (
        <table className="list">
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Added</th>
              <th scope="col">Last used</th>
              <th scope="col">Change</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.id}>
                <th scope="row">{row.name}</th>
                <td>
                  <Ago time={row.created_at} />
                </td>
                <td>{row.last_used_at ? <Ago time={row.last_used_at} /> : 'never'}</td>
                <td>
                  <Opens text="Remove" label={`Remove ${row.name}`} title={`Remove ${row.name}`}>
                    {(close) => <Removal id={row.id} onDone={() => void changed().then(close)} />}
                  </Opens>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {hasPasskeys ? (
        <div className="buttons">
          <Opens text="Add a passkey" title="Add a passkey">
            {(close) => <NewPasskey onDone={() => void changed().then(close)} />}
          </Opens>
        </div>
      ) : (
        <p className="muted">This browser does not support passkeys.</p>
      )}
    </section>
  );
}

function NewPasskey({ onDone }: { onDone(): void }) {
  const adding = useMutation({
    mutationFn: async (form: FormData) => {
      const current_password = String(form.get('current') ?? '');
      const options = await dataOf(api.POST('/auth/passkeys', { body: { current_password } }));
      const { id, rawId, ...response } = await makePasskey(options);
      await api.POST('/auth/passkeys/confirm', {
        body: {
          name: String(form.get('name') ?? ''),
          credential: {
            id,
            rawId,
            type: 'public-key',
            clientExtensionResults: {},
            response,
          },
        },
      });
    },
    onSuccess: onDone,
  });
  return (
    <SubmitForm sending={adding} text="Add">
      <CurrentPassword />
      <Field
        name="name"
        label="Name"
        isRequired
        hint="By which you tell the device, such as “work laptop”."
      />
    </SubmitForm>
  );
}

function Removal({ id, onDone }: { id: string; onDone(): void }) {
  const removing = useMutation({
    mutationFn: (form: FormData) =>
      api.POST('/auth/passkeys/remove', {
        body: { current_password: String(form.get('current') ?? ''), id },
      }),
    onSuccess: onDone,
  });
  return (
    <SubmitForm sending={removing} text="Remove" isDanger>
      <CurrentPassword />
    </SubmitForm>
  );
}
