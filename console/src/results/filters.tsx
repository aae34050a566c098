import { useEffect, useState } from 'react';
import { Button, Input, Label, TextField } from 'react-aria-components';
import { stateOf, states } from '../colours.ts';
import { Choice } from '../ui/choice.tsx';
import { DayField } from '../ui/day-field.tsx';
import type { ResultsSearch } from './results-search.ts';

const ALL = 'all';
const STATUSES = ['running', 'completed', 'failed', 'skipped', 'cancelled'] as const;
/** Milliseconds after the last key until the list follows what is typed. */
const TYPED_MS = 300;

interface FiltersProps {
  search: ResultsSearch;
  names: readonly string[];
  /** Results of each status among those that the other filters let through. */
  counts: Readonly<Record<string, number>>;
  isFiltered: boolean;
  onChange(change: ResultsSearch): void;
}

/** Which results are listed. */
export function Filters({ search, names, counts, isFiltered, onChange }: FiltersProps) {
  return (
    <>
      <Choice
        label="Task"
        value={search.task ?? ALL}
        options={[{ id: ALL, text: 'All' }, ...names.map((name) => ({ id: name, text: name }))]}
        onChange={(id) => onChange({ task: id === ALL ? undefined : id })}
      />
      <TargetFilter value={search.target ?? ''} onChange={(target) => onChange({ target })} />
      <Choice
        label="State"
        value={search.state ?? ALL}
        options={[
          { id: ALL, text: 'All' },
          ...STATUSES.map((each) => ({ id: each, text: titleOf(each, counts[each]) })),
        ]}
        onChange={(id) => onChange({ state: id === ALL ? undefined : id })}
      />
      <DayField label="From" value={search.from} onChange={(from) => onChange({ from })} />
      <DayField label="To" value={search.to} onChange={(to) => onChange({ to })} />
      {isFiltered && (
        <Button
          className="quiet"
          onPress={() =>
            onChange({ task: undefined, target: undefined, state: undefined, from: undefined, to: undefined })
          }
        >
          Show all
        </Button>
      )}
    </>
  );
}

function titleOf(status: (typeof STATUSES)[number], count: number | undefined): string {
  const title = status === 'cancelled' ? 'cancelled' : states[stateOf(status)].title;
  return count === undefined ? title : `${title} (${count})`;
}

/** A qubit such as `3` or a coupling such as `3-4`. */
function TargetFilter({ value, onChange }: { value: string; onChange(target: string | undefined): void }) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  useEffect(() => {
    if (typed.trim() === value) return;
    const timer = setTimeout(() => onChange(typed.trim() || undefined), TYPED_MS);
    return () => clearTimeout(timer);
  }, [typed, value, onChange]);
  return (
    <TextField className="inline-field short" value={typed} onChange={setTyped}>
      <Label>Target</Label>
      <Input placeholder="3 or 3-4" />
    </TextField>
  );
}
