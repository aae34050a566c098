import { useMutation } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { Button, Form } from 'react-aria-components';
import { api, dataOf, type Schemas } from '../api.ts';
import { useBackendNames } from '../chip/chip-data.ts';
import { Choice } from '../ui/choice.tsx';
import { Problem } from '../ui/feedback.tsx';
import { ParameterField } from './parameter-field.tsx';
import { problemOf } from './parameter-rules.ts';
import { ScheduleFields, type When } from './schedule-fields.tsx';
import { type Sharing, SharingFields, UNSHARED } from './sharing-fields.tsx';

/** With the name of the zone, because the schedule may have another one than the browser. */
function shownNextRun(time: string): string {
  return new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'long' }).format(new Date(time));
}

interface StartFormProps {
  chip: Schemas['Chip'];
  name: string;
  title: string;
  description: string;
  parameters: Readonly<Record<string, Schemas['FlowParameter']>>;
  /** Values that the saved flow has instead of the declared defaults. */
  defaults: Readonly<Record<string, unknown>>;
  /** A template is saved as a flow of its name before it can run. */
  template: Schemas['FlowTemplateDetail'] | null;
  /** The project has a flow of the template's name with other code. */
  replacesFlow: boolean;
}

/** The declared parameters of a flow as a form; starts it now, or schedules it. */
export function StartForm(props: StartFormProps) {
  const { chip, name, title, description, parameters, defaults, template, replacesFlow } = props;
  const navigate = useNavigate();
  const [given, setGiven] = useState<Readonly<Record<string, unknown>>>({});
  const [backend, setBackend] = useState<string>();
  const backends = useBackendNames().data ?? [];
  const [when, setWhen] = useState<When>({ kind: 'now' });
  const [sharing, setSharing] = useState<Sharing>(UNSHARED);
  const problems = new Map(
    Object.entries(parameters).flatMap(([key, parameter]) => {
      const problem = problemOf(parameter, given[key] ?? defaults[key]);
      return problem === null ? [] : [[key, problem] as const];
    }),
  );
  const starting = useMutation({
    mutationFn: async () => {
      if (template) {
        await api.POST('/flows', {
          body: {
            name,
            code: template.code,
            chip_id: chip.chip_id,
            description: template.description,
            flow_function_name: template.function_name,
          },
        });
      }
      const values = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
      const where = backend === undefined ? {} : { backend_name: backend };
      const body = { parameters: { chip_id: chip.chip_id, ...where, ...values }, ...sharing };
      const params = { path: { name } };
      if (when.kind === 'now') return dataOf(api.POST('/flows/{name}/execute', { params, body }));
      const time = when.kind === 'cron' ? { cron: when.cron } : { scheduled_time: when.time };
      return dataOf(api.POST('/flows/{name}/schedule', { params, body: { ...body, ...time } }));
    },
    onSuccess: (answer) => {
      if (!('execution_id' in answer)) return;
      void navigate({
        to: '/execution/$chipId/$executionId',
        params: { chipId: chip.chip_id, executionId: answer.execution_id },
        search: (now) => ({ project: now.project, chip: now.chip }),
      });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (problems.size === 0) starting.mutate();
  };
  const entries = Object.entries(parameters).filter(([, { alias_of }]) => alias_of === undefined);
  const scheduled = starting.data && !('execution_id' in starting.data) ? starting.data : null;
  return (
    <Form onSubmit={submit} className="start-form">
      <h1>{title}</h1>
      <p className="muted">{description}</p>
      {template && (
        <p className="muted">
          {replacesFlow
            ? `The project's flow ${name} has other code than this template. A start replaces it; its code stays among its versions. To run the flow as it is, choose it above the templates.`
            : `A start saves the template as the flow ${name} of the project.`}
        </p>
      )}
      {entries.length === 0 && (
        <p className="muted">This flow has no parameters; it measures all of {chip.chip_id}.</p>
      )}
      {entries.map(([key, parameter]) => (
        <ParameterField
          key={key}
          name={key}
          parameter={parameter}
          chip={chip}
          value={given[key]}
          fallback={defaults[key] ?? parameter.default}
          problem={problems.get(key)}
          onChange={(value) => setGiven((before) => ({ ...before, [key]: value }))}
        />
      ))}
      {backends.length > 1 && (
        <Choice
          label="Backend"
          value={backend ?? String(defaults['backend_name'] ?? backends[0])}
          options={backends.map((each) => ({ id: each, text: each }))}
          onChange={setBackend}
        />
      )}
      <ScheduleFields when={when} onChange={setWhen} />
      <SharingFields sharing={sharing} onChange={setSharing} />
      {starting.error && <Problem error={starting.error} />}
      {scheduled && (
        <p className="success" role="status">
          {scheduled.message}
          {scheduled.schedule_type === 'one-time' && scheduled.next_run && (
            <> It runs on {shownNextRun(scheduled.next_run)}.</>
          )}{' '}
          <Link to="/schedules">See all that is planned</Link>
        </p>
      )}
      <Button type="submit" className="primary" isPending={starting.isPending} isDisabled={problems.size > 0}>
        {when.kind === 'now' ? `Start on ${chip.chip_id}` : 'Schedule'}
      </Button>
    </Form>
  );
}
