import type { ExecutionSummary } from '../api.ts';
import { shownTime } from '../numbers.ts';
import { Choice } from '../ui/choice.tsx';
import { DayField } from '../ui/day-field.tsx';
import type { CompareSearch } from './compare-search.ts';
import type { useSides } from './use-changes.ts';

interface SidesProps {
  sides: ReturnType<typeof useSides>;
  onChange(change: CompareSearch): void;
}

/** Chooses the two sides of a comparison: what was before, and what was after. */
export function Sides({ sides, onChange }: SidesProps) {
  const { of, before, after, ended } = sides;
  if (of === 'days') {
    return (
      <>
        <DayField label="Before" value={before} onChange={(day) => onChange({ before: day })} />
        <DayField label="After" value={after} onChange={(day) => onChange({ after: day })} />
      </>
    );
  }
  if (before === undefined || after === undefined) return null;
  return (
    <>
      <Choice
        label="Before"
        value={before}
        options={optionsOf(ended, before)}
        onChange={(id) => onChange({ before: id, after })}
      />
      <Choice
        label="After"
        value={after}
        options={optionsOf(ended, after)}
        onChange={(id) => onChange({ before, after: id })}
      />
    </>
  );
}

function optionsOf(ended: readonly ExecutionSummary[], chosen: string) {
  const options = ended.map(({ execution_id, name, start_at }) => ({
    id: execution_id,
    text: [name || execution_id, start_at && shownTime(start_at)].filter(Boolean).join(', '),
  }));
  // A link may name an execution that is too old to be listed.
  return options.some(({ id }) => id === chosen) ? options : [{ id: chosen, text: chosen }, ...options];
}
