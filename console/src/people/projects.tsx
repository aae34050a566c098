import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { api, dataOf, type Schemas } from '../api.ts';
import { useSession } from '../session.tsx';
import { Confirm, Opens } from '../ui/ask.tsx';
import { Empty } from '../ui/feedback.tsx';
import { Field } from '../ui/field.tsx';
import { Ago } from '../ui/numbers.tsx';
import { SubmitForm } from '../ui/submit-form.tsx';
import { AllProjects } from './all-projects.tsx';

/** The projects that one can enter; an administrator sees all of them below. */
export function Projects() {
  const { user, projects } = useSession();
  const client = useQueryClient();
  const navigate = useNavigate();
  const changed = async () => {
    await Promise.all(['access', 'all projects'].map((key) => client.invalidateQueries({ queryKey: [key] })));
  };
  const remove = async (projectId: string) => {
    await api.DELETE('/projects/{project_id}', { params: { path: { project_id: projectId } } });
    await changed();
  };
  return (
    <>
      <div className="controls">
        <h1>Your projects</h1>
        <span className="spring" />
        <Opens text="Create a project" title="Create a project" isPrimary>
          {(close) => (
            <ProjectForm
              onDone={async ({ project_id }) => {
                close();
                await changed();
                await navigate({ to: '/people', search: { project: project_id, section: 'projects' } });
              }}
            />
          )}
        </Opens>
      </div>
      {projects.length === 0 ? (
        <Empty title="You are not in a project yet">
          <p>Create one, or ask the owner of a project to make you a member.</p>
        </Empty>
      ) : (
        <table className="list">
          <thead>
            <tr>
              <th scope="col">Project</th>
              <th scope="col">Owner</th>
              <th scope="col">Created</th>
              <th scope="col">Change</th>
            </tr>
          </thead>
          <tbody>
            {projects.map((row) => (
              <tr key={row.project_id}>
                <th scope="row">
                  <Link to="/" search={{ project: row.project_id }}>
                    {row.name}
                  </Link>{' '}
                  <span className="muted">{row.description}</span>
                </th>
                <td>{row.owner_username}</td>
                <td>
                  <Ago time={row.created_at} />
                </td>
                <td>
                  {row.owner_user_id === user.user_id && (
                    <div className="buttons">
                      <Opens text="Rename" label={`Rename ${row.name}`} title={`Rename ${row.name}`}>
                        {(close) => (
                          <ProjectForm
                            project={row}
                            onDone={async () => {
                              await changed();
                              close();
                            }}
                          />
                        )}
                      </Opens>
                      <Confirm
                        text="Delete"
                        label={`Delete ${row.name}`}
                        question={`Delete ${row.name}?`}
                        onConfirm={() => remove(row.project_id)}
                      >
                        <p>
                          All its chips, flows, runs, results and files are deleted. This cannot be undone.
                        </p>
                      </Confirm>
                    </div>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {user.system_role === 'admin' && <AllProjects />}
    </>
  );
}

/** Creates a project, or changes what one is called. */
function ProjectForm({
  project,
  onDone,
}: {
  project?: Schemas['Project'];
  onDone(project: Schemas['Project']): Promise<void>;
}) {
  const saving = useMutation({
    mutationFn: (form: FormData) => {
      const body = {
        name: String(form.get('name') ?? ''),
        description: String(form.get('description') ?? ''),
      };
      return dataOf(
        project
          ? api.PATCH('/projects/{project_id}', {
              params: { path: { project_id: project.project_id } },
              body,
            })
          : api.POST('/projects', { body }),
      );
    },
    onSuccess: onDone,
  });
  return (
    <SubmitForm sending={saving} text={project ? 'Save' : 'Create'}>
      <Field name="name" label="Name" isRequired autoFocus defaultValue={project?.name ?? ''} />
      <Field name="description" label="What it is for" defaultValue={project?.description ?? ''} />
    </SubmitForm>
  );
}
