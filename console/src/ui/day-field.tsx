import { Input, Label, TextField } from 'react-aria-components';

const DAY = /^\d{4}-\d{2}-\d{2}$/;

interface DayFieldProps {
  label: string;
  value: string | undefined;
  onChange(day: string | undefined): void;
}

/** A day of the calendar such as `2026-03-01`, in the zone of the reader. */
export function DayField({ label, value, onChange }: DayFieldProps) {
  return (
    <TextField
      type="date"
      className="inline-field"
      value={value ?? ''}
      onChange={(text) => onChange(DAY.test(text) ? text : undefined)}
    >
      <Label>{label}</Label>
      <Input />
    </TextField>
  );
}

/** A text as a day; undefined if it is none. */
export function dayOf(text: string | undefined): string | undefined {
  return text !== undefined && DAY.test(text) && !Number.isNaN(startOf(text).getTime()) ? text : undefined;
}

/** The day of a time in the zone of the reader. */
export function dayAt(time: string): string {
  const date = new Date(time);
  const two = (part: number) => String(part).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** First and last moment of a day in the zone of the reader. */
export function momentsOf(day: string): { from: string; to: string } {
  const end = startOf(day);
  // Not 24 hours later: on two days of the year the clocks change.
  end.setDate(end.getDate() + 1);
  return { from: startOf(day).toISOString(), to: new Date(end.getTime() - 1).toISOString() };
}

const startOf = (day: string) => new Date(`${day}T00:00:00`);
