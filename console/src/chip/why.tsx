import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api, artifactUrl, dataOf, type Parameter, type Schemas } from '../api.ts';
import { useProjectId } from '../session.tsx';
import { Problem, Waiting } from '../ui/feedback.tsx';
import { Ago, Quantity } from '../ui/numbers.tsx';
import { ParameterChoice } from './parameter-choice.tsx';

interface WhyProps {
  chipId: string;
  target: string;
  parameter: string | undefined;
  parameters: readonly [string, Parameter][];
  onChoose(parameter: string): void;
}

/** Why a value is what it is: the measurement, its gates, and the values it used, down to raw data. */
export function Why({ chipId, target, parameter, parameters, onChoose }: WhyProps) {
  const projectId = useProjectId();
  const newest = useQuery({
    queryKey: ['newest version', projectId, chipId, target, parameter],
    queryFn: async () => {
      const query = { parameter_name: parameter ?? '', qid: target, chip_id: chipId, limit: 1 };
      const { versions } = await dataOf(api.GET('/provenance/history', { params: { query } }));
      return versions[0] ?? null;
    },
    enabled: parameter !== undefined,
  });
  if (parameter === undefined) return <p className="muted">There is no value yet.</p>;
  return (
    <>
      <ParameterChoice {...{ parameter, parameters, onChoose }} />
      {newest.error && <Problem error={newest.error} />}
      {newest.isPending && <Waiting title="Origin" />}
      {newest.data === null && (
        <p className="muted">This value came from a file or by hand before its origin was recorded.</p>
      )}
      {newest.data && <Origin entityId={newest.data.entity_id} />}
    </>
  );
}

function Origin({ entityId }: { entityId: string }) {
  const projectId = useProjectId();
  const explanation = useQuery({
    queryKey: ['explanation', projectId, entityId],
    queryFn: () =>
      dataOf(
        api.GET('/provenance/explain/{entity_id}', {
          params: { path: { entity_id: entityId } },
          headers: { accept: 'application/json' },
        }),
      ),
  });
  if (explanation.error) return <Problem error={explanation.error} />;
  if (!explanation.data || typeof explanation.data === 'string') return <Waiting title="Origin" />;
  return <Explained explanation={explanation.data} />;
}

function Explained({ explanation }: { explanation: Schemas['Explanation'] }) {
  const { entity, previous, gates, task, execution, inputs, cooldown, reason, who } = explanation;
  return (
    <div className="origin">
      <p>
        <Version version={entity} /> <span className="muted">version {entity.version}</span>
        {previous && (
          <>
            , before that <Version version={previous} />
          </>
        )}
      </p>
      {task && execution ? (
        <p>
          Found by <strong>{task.task_name}</strong> on {task.qid}, <Ago time={task.end_at} /> in{' '}
          <Link
            to="/execution/$chipId/$executionId"
            params={{ chipId: entity.chip_id, executionId: execution.execution_id }}
            search={(now) => ({ project: now.project, chip: now.chip, task: task.task_id })}
          >
            {execution.name || execution.execution_id}
          </Link>
          {execution.backend !== '' && ` on the backend ${execution.backend}`}.
        </p>
      ) : (
        <p>
          Entered {who ? `by ${who.username}` : ''} <Ago time={entity.valid_from} />
          {reason && <>: “{reason}”</>}.
        </p>
      )}
      {cooldown && <p className="muted">In the cool-down {cooldown.description || cooldown.cooldown_id}.</p>}
      {gates.length > 0 && (
        <ul className="plain gates">
          {gates.map((gate) => (
            <li key={gate.rule}>
              <span className={`dot ${gate.passed ? 'passed' : 'failed'}`} aria-hidden="true">
                {gate.passed ? '✓' : '✕'}
              </span>{' '}
              {gate.detail}
            </li>
          ))}
        </ul>
      )}
      {task?.raw_data_path.map((path) => (
        <p key={path}>
          <a href={artifactUrl(path)} download>
            Raw data
          </a>
        </p>
      ))}
      {inputs.length > 0 && (
        <>
          <h3>It used</h3>
          <ul className="plain inputs">
            {inputs.map((input) => (
              <Input key={input.name} input={input} />
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

function Input({ input }: { input: Schemas['ExplainedParameter'] }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <li>
      <span className="line">
        {input.origin ? (
          <button type="button" className="link" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? '▾' : '▸'} {input.parameter_name || input.name}
          </button>
        ) : (
          <span>{input.parameter_name || input.name}</span>
        )}{' '}
        {typeof input.value === 'number' && (
          <Quantity value={input.value} error={input.error} unit={input.unit} />
        )}
        {!input.origin && <span className="muted"> {input.source ?? 'default of the task'}</span>}
      </span>
      {isOpen && input.origin && <Origin entityId={input.origin.entity_id} />}
    </li>
  );
}

function Version({ version }: { version: Schemas['ParameterVersion'] }) {
  if (typeof version.value !== 'number') return <span>{version.value}</span>;
  return <Quantity value={version.value} error={version.error} unit={version.unit} />;
}
