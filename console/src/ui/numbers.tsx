import { shownAgo, shownDuration, shownNumber, shownTime } from '../numbers.ts';

/** A value with its error and unit; in a table the values are aligned below each other. */
export function Quantity({ value, error, unit }: { value: number; error?: number | null; unit: string }) {
  const shown = shownNumber(value, error);
  return (
    <span className="quantity">
      <span className="value">{shown.value}</span>
      <span className="error">{shown.error}</span>
      <span className="unit">{unit === 'us' ? 'μs' : unit}</span>
    </span>
  );
}

/** The head of a column of such values, above the values and not above their units. */
export function QuantityHeader({ children }: { children: string }) {
  return (
    <th scope="col" className="right">
      <span className="quantity">
        <span className="value">{children}</span>
        <span />
        <span />
      </span>
    </th>
  );
}

/** How long ago something was; the exact time appears on hover. */
export function Ago({ time }: { time: string | null | undefined }) {
  if (!time) return <span className="muted">–</span>;
  return (
    <time dateTime={time} title={shownTime(time)}>
      {shownAgo(time)}
    </time>
  );
}

/** How long something took; nothing while it goes on. */
export function Took({ from, to }: { from: string | null | undefined; to: string | null | undefined }) {
  if (!from || !to) return null;
  return shownDuration((new Date(to).getTime() - new Date(from).getTime()) / 1000);
}
