import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import { Button, Form } from 'react-aria-components';
import { api, dataOf, type Schemas } from '../api.ts';
import { Empty, Problem, Waiting } from '../ui/feedback.tsx';
import { Field } from '../ui/field.tsx';
import { Ago } from '../ui/numbers.tsx';
import { Paging } from '../ui/paging.tsx';

const PAGE = 50;

/** Who did what, when and from where, for administrators. */
export function Audit() {
  const search = useSearch({ from: '/people' });
  const navigate = useNavigate({ from: '/people' });
  const skip = search.skip ?? 0;
  const { who } = search;
  const trail = useQuery({
    queryKey: ['audit', who, skip],
    queryFn: () =>
      dataOf(
        api.GET('/admin/audit', { params: { query: { ...(who && { username: who }), skip, limit: PAGE } } }),
      ),
    placeholderData: (previous) => previous,
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const asked = String(new FormData(event.currentTarget).get('who') ?? '').trim();
    void navigate({ search: (now) => ({ ...now, who: asked || undefined, skip: undefined }) });
  };
  return (
    <>
      <h1>Audit trail</h1>
      <Form className="filter" role="search" onSubmit={submit} key={who}>
        <Field
          name="who"
          label="Username"
          defaultValue={who ?? ''}
          autoComplete="off"
          placeholder="everybody"
        />
        <Button type="submit">Show</Button>
      </Form>
      {trail.error && <Problem error={trail.error} />}
      {trail.isPending && <Waiting title="Audit trail" />}
      {trail.data?.entries.length === 0 && (
        <Empty title="Nothing is recorded">
          <p>{who ? `${who} changed nothing that is still recorded.` : 'Nobody changed anything yet.'}</p>
        </Empty>
      )}
      {trail.data && trail.data.entries.length > 0 && (
        <>
          <Trail entries={trail.data.entries} />
          <Paging
            {...{ skip }}
            page={PAGE}
            hasMore={trail.data.has_more}
            back="Newer"
            on="Older"
            onSkip={(next) => void navigate({ search: (now) => ({ ...now, skip: next || undefined }) })}
          />
        </>
      )}
    </>
  );
}

function Trail({ entries }: { entries: readonly Schemas['AuditEntry'][] }) {
  return (
    <table className="list">
      <thead>
        <tr>
          <th scope="col">When</th>
          <th scope="col">Who</th>
          <th scope="col">What</th>
          <th scope="col">To what</th>
          <th scope="col">Details</th>
          <th scope="col">From</th>
        </tr>
      </thead>
      <tbody>
        {entries.map((entry) => (
          <tr key={entry.entry_id}>
            <td>
              <Ago time={entry.at} />
            </td>
            <td>{entry.username ?? 'unknown'}</td>
            <th scope="row">{entry.action.replaceAll('_', ' ')}</th>
            <td>{entry.target}</td>
            <td className="muted">{shownDetails(entry.details)}</td>
            <td className="muted">{entry.address}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function shownDetails(details: Schemas['AuditEntry']['details']): string {
  return Object.entries(details)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}: ${value}`)
    .join(', ');
}
