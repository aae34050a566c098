import { useMemo } from 'react';
import { Checkbox, FieldError, Input, Label, Text, TextArea, TextField } from 'react-aria-components';
import type { Schemas } from '../api.ts';
import { useTopology } from '../chip/chip-data.ts';
import { Lattice, type Mark } from '../chip/lattice.tsx';
import { Choice } from '../ui/choice.tsx';
import { Waiting } from '../ui/feedback.tsx';
import { isStructured, typedValue, Unreadable } from './parameter-rules.ts';

interface FieldProps {
  name: string;
  parameter: Schemas['FlowParameter'];
  chip: Schemas['Chip'];
  value: unknown;
  fallback: unknown;
  problem: string | undefined;
  onChange(value: unknown): void;
}

/** One declared parameter; an empty field leaves the default. */
export function ParameterField(props: FieldProps) {
  const { name, parameter, value, fallback, problem, onChange } = props;
  if (parameter.type === 'qubits' || parameter.type === 'muxes' || parameter.type === 'pairs') {
    return <TargetField {...props} kind={parameter.type} />;
  }
  if (parameter.type === 'boolean') {
    return (
      <Checkbox isSelected={Boolean(value ?? fallback)} onChange={onChange}>
        <span className="box" aria-hidden="true" />
        <span>
          {name} <span className="muted">{parameter.description}</span>
        </span>
      </Checkbox>
    );
  }
  if (parameter.one_of) {
    return (
      <div>
        <Choice
          label={name}
          value={String(value ?? fallback ?? parameter.one_of[0] ?? '')}
          options={parameter.one_of.map((each) => ({ id: each, text: each }))}
          onChange={onChange}
        />
        <p className="muted hint">{parameter.description}</p>
      </div>
    );
  }
  const shown = value instanceof Unreadable ? value.text : value === undefined ? '' : textOf(value);
  const isLong = isStructured(parameter);
  return (
    <TextField
      value={shown}
      isInvalid={problem !== undefined && value !== undefined}
      isRequired={parameter.required === true && fallback === undefined}
      validationBehavior="aria"
      onChange={(text) => onChange(typedValue(parameter, text))}
    >
      <Label>{name}</Label>
      {isLong ? (
        <TextArea rows={2} placeholder={textOf(fallback)} />
      ) : (
        <Input placeholder={textOf(fallback)} inputMode={parameter.type === 'text' ? 'text' : 'decimal'} />
      )}
      <Text slot="description">{parameter.description}</Text>
      {problem !== undefined && value !== undefined && <FieldError>{problem}</FieldError>}
    </TextField>
  );
}

const CHOSEN: Mark = { fill: 'var(--accent)', ink: 'var(--surface)', text: '', spoken: 'chosen' };
const NOTHING: ReadonlySet<string> = new Set();

/** Qubits, multiplexers or couplings, chosen on the lattice. */
function TargetField({ name, parameter, chip, value, onChange, kind }: FieldProps & { kind: string }) {
  const topology = useTopology(chip.topology_id);
  const chosen = useMemo(() => new Set(Array.isArray(value) ? value.map(String) : []), [value]);
  const muxSize = (topology.data?.mux.size ?? 2) ** 2;
  const marks = useMemo(() => {
    if (kind !== 'muxes') return new Map([...chosen].map((target) => [target, CHOSEN]));
    const qubits = Object.keys(topology.data?.qubits ?? {});
    return new Map(
      qubits.filter((qid) => chosen.has(muxOf(qid, muxSize))).map((qid) => [qid, CHOSEN] as const),
    );
  }, [chosen, kind, topology.data, muxSize]);
  const toggle = (target: string) => {
    const isPair = target.includes('-');
    if (isPair !== (kind === 'pairs')) return;
    const key = kind === 'muxes' ? muxOf(target, muxSize) : target;
    const next = chosen.has(key) ? [...chosen].filter((each) => each !== key) : [...chosen, key];
    next.sort((one, other) => Number.parseInt(one, 10) - Number.parseInt(other, 10));
    onChange(next.length === 0 ? undefined : kind === 'muxes' ? next.map(Number) : next);
  };
  return (
    <fieldset className="targets">
      <legend>{name}</legend>
      <p className="muted hint">
        {parameter.description}.{' '}
        {chosen.size === 0 ? nothingChosen(kind) : `Chosen: ${[...chosen].join(', ')}`}
      </p>
      {topology.data ? (
        <Lattice
          topology={topology.data}
          label={`${name}: choose on the lattice`}
          marks={marks}
          selected={NOTHING}
          hasCouplings={kind === 'pairs'}
          onSelect={toggle}
        />
      ) : (
        <Waiting title="Lattice" />
      )}
    </fieldset>
  );
}

function nothingChosen(kind: string): string {
  return kind === 'muxes' ? 'Nothing chosen; choose a qubit to choose its multiplexer' : 'Nothing chosen';
}

function muxOf(qid: string, size: number): string {
  return String(Math.floor(Number(qid) / size));
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
