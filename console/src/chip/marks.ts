import type { Metric, Schemas } from '../api.ts';
import { inkOn, scaleColour, states, type TaskState } from '../colours.ts';
import { shownAgo, spoken } from '../numbers.ts';
import type { Mark } from './lattice.tsx';

const DAY_MS = 86_400_000;
/** Characters of a value that fit into a qubit. */
const FITTING_DIGITS = 3;

export interface Scale {
  kind: 'value' | 'age';
  /** In shown units, or the age in milliseconds. */
  low: number;
  high: number;
  counted: number;
  missing: number;
  at(value: number): number;
}

/** The range of the colours: of all values of the chip, or of their ages up to at least a day. */
export function scaleOf(heatmap: Schemas['MetricHeatmap'], metric: Metric, isAge: boolean): Scale {
  const values = isAge ? agesOf(heatmap) : shownValues(heatmap, metric);
  const known = [...values.values()];
  const missing = Object.keys(heatmap.values).length - known.length;
  const low = isAge ? 0 : Math.min(...known);
  const high = isAge ? Math.max(DAY_MS, ...known) : Math.max(...known);
  const span = high - low;
  return {
    kind: isAge ? 'age' : 'value',
    low,
    high,
    counted: known.length,
    missing,
    at: (value) => (span > 0 ? (value - low) / span : 0.5),
  };
}

export function metricMarks(
  heatmap: Schemas['MetricHeatmap'],
  metric: Metric,
  scale: Scale,
): Map<string, Mark> {
  const values = shownValues(heatmap, metric);
  const ages = agesOf(heatmap);
  const marks = new Map<string, Mark>();
  for (const [target, value] of values) {
    const age = ages.get(target);
    const shown = scale.kind === 'age' ? age : value;
    if (shown === undefined) continue;
    // A fresh value is bright, an old one dark.
    const place = scale.kind === 'age' ? 1 - scale.at(shown) : scale.at(shown);
    const time = heatmap.calibrated_at[target];
    const error = heatmap.errors[target];
    const spokenValue = spoken(value, error ? error * Math.abs(metric.scale) : null, metric.unit);
    marks.set(target, {
      fill: scaleColour(place),
      ink: inkOn(place),
      text: scale.kind === 'age' ? shortAge(shown) : short(value),
      spoken: `${metric.title} ${spokenValue}${time ? `, ${shownAgo(time)}` : ''}`,
    });
  }
  return marks;
}

/** One object for each state, so that only what changes is redrawn. */
const STATE_MARKS: Readonly<Record<TaskState, Mark>> = {
  waiting: stateMark('waiting'),
  measuring: { ...stateMark('measuring'), isPulsing: true },
  passed: stateMark('passed'),
  failed: stateMark('failed'),
  skipped: stateMark('skipped'),
};

function stateMark(state: TaskState): Mark {
  const { sign, title } = states[state];
  return { fill: `var(--${state})`, ink: 'var(--state-ink)', text: sign, spoken: title };
}

export function stateMarks(all: ReadonlyMap<string, TaskState>): Map<string, Mark> {
  return new Map([...all].map(([target, state]) => [target, STATE_MARKS[state]]));
}

function shownValues(heatmap: Schemas['MetricHeatmap'], metric: Metric): Map<string, number> {
  return new Map(
    Object.entries(heatmap.values).flatMap(([target, value]) =>
      value === null ? [] : [[target, value * metric.scale] as const],
    ),
  );
}

function agesOf(heatmap: Schemas['MetricHeatmap']): Map<string, number> {
  const now = Date.now();
  return new Map(
    Object.entries(heatmap.calibrated_at).flatMap(([target, time]) =>
      time === null ? [] : [[target, Math.max(0, now - new Date(time).getTime())] as const],
    ),
  );
}

function short(value: number): string {
  const size = Math.abs(value);
  if (size >= 100) return String(Math.round(value));
  return size >= 0.1 ? value.toPrecision(FITTING_DIGITS) : String(Number(value.toPrecision(FITTING_DIGITS)));
}

export function shortAge(age: number): string {
  const minutes = age / 60_000;
  if (minutes < 1) return 'now';
  if (minutes < 60) return `${Math.floor(minutes)} m`;
  const hours = minutes / 60;
  return hours < 48 ? `${Math.floor(hours)} h` : `${Math.floor(hours / 24)} d`;
}
