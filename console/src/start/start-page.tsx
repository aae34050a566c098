import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { api, dataOf } from '../api.ts';
import { useChip } from '../chip/chip-data.ts';
import { useProjectId, useSession } from '../session.tsx';
import { Empty, Problem, Waiting } from '../ui/feedback.tsx';
import { StartForm } from './start-form.tsx';

/** Chooses a saved flow or a template, and starts it with its parameters. */
export function StartPage() {
  const projectId = useProjectId();
  const { mayWrite } = useSession();
  const chip = useChip();
  const search = useSearch({ from: '/start' });
  const flows = useQuery({
    queryKey: ['flows', projectId],
    queryFn: async () => (await dataOf(api.GET('/flows'))).flows,
  });
  const templates = useQuery({ queryKey: ['templates'], queryFn: () => dataOf(api.GET('/flows/templates')) });
  if (!chip) return null;
  if (!mayWrite) {
    return (
      <Empty title="You can view runs, but not start them">
        <p>Ask the owner of the project to make you an editor.</p>
      </Empty>
    );
  }
  const error = flows.error ?? templates.error;
  if (error) return <Problem error={error} />;
  if (!flows.data || !templates.data) return <Waiting title="Flows" />;
  return (
    <main className="start-page">
      <nav aria-label="Flows and templates">
        <h2>Flows of the project</h2>
        {flows.data.length === 0 && <p className="muted">None is saved yet. Start with a template.</p>}
        <ul className="plain choices">
          {flows.data.map((flow) => (
            <li key={flow.name}>
              <Link
                to="/start"
                search={(now) => ({ project: now.project, chip: now.chip, flow: flow.name })}
                aria-current={search.flow === flow.name ? 'page' : undefined}
              >
                {flow.name}
                <span className="muted">{flow.description}</span>
              </Link>
            </li>
          ))}
        </ul>
        <h2>Templates</h2>
        <ul className="plain choices">
          {templates.data.map((template) => (
            <li key={template.id}>
              <Link
                to="/start"
                search={(now) => ({ project: now.project, chip: now.chip, template: template.id })}
                aria-current={search.template === template.id ? 'page' : undefined}
              >
                {template.name}
                <span className="muted">{template.description}</span>
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <section aria-label="Parameters">
        {search.flow !== undefined || search.template !== undefined ? (
          <Chosen
            key={`${search.flow} ${search.template}`}
            chip={chip}
            flow={search.flow}
            template={search.template}
            saved={flows.data.some(({ name }) => name === search.template)}
          />
        ) : (
          <Empty title="Start a run">
            <p>Choose a flow or a template on the left. Its parameters appear here.</p>
          </Empty>
        )}
      </section>
    </main>
  );
}

interface ChosenProps {
  chip: NonNullable<ReturnType<typeof useChip>>;
  flow: string | undefined;
  template: string | undefined;
  /** The project has a flow of the template's name. */
  saved: boolean;
}

function Chosen({ chip, flow, template, saved }: ChosenProps) {
  const projectId = useProjectId();
  const definition = useQuery({
    queryKey: ['definition', projectId, flow, template, saved],
    queryFn: async () => {
      if (flow !== undefined) {
        const found = await flowOf(flow);
        return {
          ...found,
          title: found.name,
          defaults: found.default_parameters,
          template: null,
          replacesFlow: false,
        };
      }
      const shipped = await dataOf(
        api.GET('/flows/templates/{template_id}', { params: { path: { template_id: template ?? '' } } }),
      );
      const replacesFlow = saved && (await flowOf(shipped.id)).code !== shipped.code;
      return {
        ...shipped,
        name: shipped.id,
        title: shipped.name,
        defaults: {},
        template: shipped,
        replacesFlow,
      };
    },
  });
  if (definition.error) return <Problem error={definition.error} />;
  if (!definition.data) return <Waiting title="Parameters" />;
  const { name, title, description, parameters, defaults, template: shipped, replacesFlow } = definition.data;
  return (
    <StartForm
      chip={chip}
      name={name}
      title={title}
      description={description}
      parameters={parameters ?? {}}
      defaults={defaults}
      template={shipped}
      replacesFlow={replacesFlow}
    />
  );
}

function flowOf(name: string) {
  return dataOf(api.GET('/flows/{name}', { params: { path: { name } } }));
}
