import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { api, dataOf } from '../api.ts';
import { useProjectId, useSession } from '../session.tsx';
import { Empty, Problem, Waiting } from '../ui/feedback.tsx';
import { NewFlow, SavedFlow } from './flow-view.tsx';
import './flows.css';

/** The flows of the project, and one of them to read, change and run. */
export function FlowsPage() {
  const projectId = useProjectId();
  const { mayWrite } = useSession();
  const { flow, template } = useSearch({ from: '/flows' });
  const flows = useQuery({
    queryKey: ['flows', projectId],
    queryFn: async () => (await dataOf(api.GET('/flows'))).flows,
  });
  const templates = useQuery({ queryKey: ['templates'], queryFn: () => dataOf(api.GET('/flows/templates')) });
  const error = flows.error ?? templates.error;
  if (error) return <Problem error={error} />;
  if (!flows.data || !templates.data) return <Waiting title="Flows" />;
  return (
    <main className="flows-page">
      <nav aria-label="Flows and templates">
        <h2>Flows of the project</h2>
        {flows.data.length === 0 && <p className="muted">None is saved yet.</p>}
        <ul className="plain choices">
          {flows.data.map(({ name, description }) => (
            <li key={name}>
              <Link
                to="/flows"
                search={(now) => ({ project: now.project, chip: now.chip, flow: name })}
                aria-current={flow === name ? 'page' : undefined}
              >
                {name}
                <span className="muted">{description}</span>
              </Link>
            </li>
          ))}
        </ul>
        {mayWrite && (
          <>
            <h2>New, from a template</h2>
            <ul className="plain choices">
              {templates.data.map(({ id, name, description }) => (
                <li key={id}>
                  <Link
                    to="/flows"
                    search={(now) => ({ project: now.project, chip: now.chip, template: id })}
                    aria-current={template === id ? 'page' : undefined}
                  >
                    {name}
                    <span className="muted">{description}</span>
                  </Link>
                </li>
              ))}
            </ul>
          </>
        )}
      </nav>
      <section aria-label="Flow">
        {flow !== undefined ? (
          <SavedFlow key={flow} name={flow} />
        ) : template !== undefined && mayWrite ? (
          <NewFlow key={template} template={template} />
        ) : (
          <Empty title="Flows plan what is measured">
            <p>
              {mayWrite
                ? 'Choose one on the left to read, change or run it, or begin a new one from a template.'
                : 'Choose one on the left to read it.'}
            </p>
          </Empty>
        )}
      </section>
    </main>
  );
}
