import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf } from '../api.ts';
import { Confirm } from '../ui/ask.tsx';
import { Problem, Waiting } from '../ui/feedback.tsx';
import { Ago } from '../ui/numbers.tsx';
import { Paging } from '../ui/paging.tsx';

const PAGE = 20;

/** Every project of the installation, for its administrators. */
export function AllProjects() {
  const client = useQueryClient();
  const [skip, setSkip] = useState(0);
  const all = useQuery({
    queryKey: ['all projects', skip],
    queryFn: () => dataOf(api.GET('/admin/projects', { params: { query: { skip, limit: PAGE } } })),
    placeholderData: (previous) => previous,
  });
  const remove = async (projectId: string) => {
    await api.DELETE('/admin/projects/{project_id}', { params: { path: { project_id: projectId } } });
    await Promise.all(['all projects', 'access'].map((key) => client.invalidateQueries({ queryKey: [key] })));
  };
  if (all.error) return <Problem error={all.error} />;
  if (!all.data) return <Waiting title="All projects" />;
  const { projects, total } = all.data;
  return (
    <section aria-label="All projects">
      <h2>All projects of the installation ({total})</h2>
      <table className="list">
        <thead>
          <tr>
            <th scope="col">Project</th>
            <th scope="col">Owner</th>
            <th scope="col" className="right">
              Members
            </th>
            <th scope="col">Created</th>
            <th scope="col">Change</th>
          </tr>
        </thead>
        <tbody>
          {projects.map((row) => (
            <tr key={row.project_id}>
              <th scope="row">
                {row.name} <span className="muted">{row.description}</span>
              </th>
              <td>{row.owner_username}</td>
              <td className="right number">{row.member_count}</td>
              <td>
                <Ago time={row.created_at} />
              </td>
              <td>
                <Confirm
                  text="Delete"
                  label={`Delete ${row.name} of ${row.owner_username}`}
                  question={`Delete ${row.name} of ${row.owner_username}?`}
                  onConfirm={() => remove(row.project_id)}
                >
                  <p>All its chips, flows, runs, results and files are deleted. This cannot be undone.</p>
                </Confirm>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <Paging skip={skip} page={PAGE} total={total} onSkip={setSkip} />
    </section>
  );
}
