import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { Button, Checkbox, Form, Input, Label, Text, TextField } from 'react-aria-components';
import { api, dataOf, type operations, type Schemas } from '../api.ts';
import { PriorityChoice } from '../start/sharing-fields.tsx';
import { isCoupling } from '../targets.ts';
import { Choice } from '../ui/choice.tsx';
import { Problem, Waiting } from '../ui/feedback.tsx';
import { useBackendTasks } from './chip-data.ts';

/** Runs one task on a target; parameters that stay empty keep the values of the catalogue. */
export function Measure({
  chipId,
  target,
  task,
}: {
  chipId: string;
  target: string;
  task: string | undefined;
}) {
  const navigate = useNavigate();
  const all = useBackendTasks();
  const kind = isCoupling(target) ? 'coupling' : 'qubit';
  const offers = (all.data ?? []).map(({ backend, tasks }) => ({
    backend,
    tasks: tasks.filter(({ task_type, enabled }) => task_type === kind && enabled),
  }));
  const [wanted, setWanted] = useState(task);
  const [backend, setBackend] = useState<string>();
  const [isKept, setKept] = useState(false);
  const [priority, setPriority] = useState(0);
  const hasWanted = (offer: (typeof offers)[number]) => offer.tasks.some(({ name }) => name === wanted);
  const offer = offers.find((each) => each.backend === backend) ?? offers.find(hasWanted) ?? offers[0];
  const definition = offer?.tasks.find(({ name }) => name === wanted) ?? offer?.tasks[0];
  const starting = useMutation({
    mutationFn: (overrides: Record<string, unknown>) =>
      startTask(definition?.name ?? '', {
        chip_id: chipId,
        qid: target,
        priority,
        backend_name: offer?.backend ?? null,
        run_parameter_overrides: overrides,
        persist_output_parameters: isKept,
      }),
    onSuccess: ({ execution_id }) =>
      navigate({ to: '/execution/$chipId/$executionId', params: { chipId, executionId: execution_id } }),
  });
  if (all.error) return <Problem error={all.error} />;
  if (!all.data) return <Waiting title="Tasks" />;
  const backends = offer && offers.length > 1 && (
    <Choice
      label="Backend"
      value={offer.backend}
      options={offers.map((each) => ({ id: each.backend, text: each.backend }))}
      onChange={setBackend}
    />
  );
  if (!offer || !definition) {
    return (
      <>
        {backends}
        <p className="muted">No task of the backend measures a {kind}.</p>
      </>
    );
  }
  const parameters = Object.entries(definition.run_parameters);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const given = parameters.flatMap(([name]) => {
      const text = String(form.get(name) ?? '').trim();
      return text === '' ? [] : [[name, typedValue(text)] as const];
    });
    starting.mutate(Object.fromEntries(given));
  };
  return (
    <Form onSubmit={submit} key={definition.name}>
      {backends}
      <Choice
        label="Task"
        value={definition.name}
        options={offer.tasks.map(({ name }) => ({ id: name, text: name }))}
        onChange={setWanted}
      />
      <p className="muted">{definition.description}</p>
      {parameters.map(([name, parameter]) => (
        <TextField key={name} name={name}>
          <Label>
            {name}
            {parameter['unit'] ? <span className="muted"> in {parameter['unit']}</span> : null}
          </Label>
          <Input placeholder={parameter['value'] ?? ''} />
          <Text slot="description">{parameter['description']}</Text>
        </TextField>
      ))}
      <Checkbox isSelected={isKept} onChange={setKept}>
        <span className="box" aria-hidden="true" />
        <span>
          Keep values{' '}
          <span className="muted">
            What passes the gates becomes calibration state; otherwise it is only shown.
          </span>
        </span>
      </Checkbox>
      <PriorityChoice priority={priority} onChange={setPriority} />
      {starting.error && <Problem error={starting.error} />}
      <div className="buttons">
        <Button type="submit" className="primary" isPending={starting.isPending}>
          Measure {definition.name}
        </Button>
      </div>
    </Form>
  );
}

/** As the address of the route declares it. */
type TaskName = operations['execute_task']['parameters']['path']['task_name'];

/** The catalogue comes from the same service as the route, so each of its names is one of the route. */
function isTaskName(name: string): name is TaskName {
  return name !== '';
}

function startTask(name: string, body: Schemas['TaskExecution']) {
  if (!isTaskName(name)) throw new Error('Choose a task first.');
  return dataOf(api.POST('/tasks/{task_name}/execute', { params: { path: { task_name: name } }, body }));
}

/** A number, a truth value or a list where the text is one, else the text. */
function typedValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
