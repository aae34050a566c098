import type { Dataset, DatasetVariable } from '../../../shared/science/datasets/model.ts';
import type { Random } from '../../../shared/science/device/random.ts';
import { keepOneQuadrature } from '../../../shared/science/device/spoilt-data.ts';
import { logBetween } from './draws.ts';

/** Both quadratures of each signal of a dataset, including prepared states. */
function signalsOf({ variables }: Dataset): { re: DatasetVariable; im: DatasetVariable; name: string }[] {
  return Object.keys(variables).flatMap((name) => {
    const [re, im] = [variables[name], variables[name.replace(/_re$/, '_im')]];
    return name.endsWith('_re') && re !== undefined && im !== undefined ? [{ name, re, im }] : [];
  });
}

function chosen<Item>(random: Random, items: readonly [Item, ...Item[]]): Item {
  return items[Math.floor(random.uniform() * items.length)] ?? items[0];
}

function mapped(variable: DatasetVariable, to: (value: number, index: number) => number): void {
  variable.values = variable.values.map((value, index) => (value === null ? null : to(value, index)));
}

/** Rounds every signal to the steps of a digitiser, 50 to 10,000 over the range of the signal. */
export function digitise(dataset: Dataset, random: Random): void {
  const parts = signalsOf(dataset);
  const known = parts.flatMap(({ re, im }) => [...re.values, ...im.values]).flatMap((value) => value ?? []);
  const step = (Math.max(...known) - Math.min(...known)) / logBetween(random, 50, 10_000);
  for (const { re, im } of parts) {
    for (const variable of [re, im]) mapped(variable, (value) => step * Math.round(value / step));
  }
}

/** Signals on either axis. The other quadrature is 0, or is not sent. */
export function sendOneAxis(dataset: Dataset, random: Random): void {
  keepOneQuadrature(dataset);
  const sign = chosen(random, [1, -1]);
  const way = chosen(random, ['re', 'im', 're alone']);
  for (const { name, re, im } of signalsOf(dataset)) {
    const along = re.values.map((value) => (value === null ? null : sign * value));
    const zero = along.map((value) => (value === null ? null : 0));
    re.values = way === 'im' ? zero : along;
    im.values = way === 'im' ? along : zero;
    if (way === 're alone') delete dataset.variables[name.replace(/_re$/, '_im')];
  }
}

/** Rotates, scales and shifts the plane, and mirrors it half of the time, as swapped quadratures do. */
export function turnPlane(dataset: Dataset, random: Random): void {
  const angle = random.between(-Math.PI, Math.PI);
  const mirror = chosen(random, [1, -1]);
  const gain = logBetween(random, 1e-3, 1e3);
  const parts = signalsOf(dataset);
  for (const { re, im } of parts) {
    const [i, q] = [re.values, im.values];
    const [cos, sin] = [gain * Math.cos(angle), gain * Math.sin(angle)];
    re.values = i.map((value, index) =>
      value === null ? null : cos * value - sin * mirror * (q[index] ?? 0),
    );
    im.values = i.map((value, index) =>
      value === null ? null : sin * value + cos * mirror * (q[index] ?? 0),
    );
  }
}

/** Exchanges the initial states of signals: ground and excited. */
export function exchangeStates(dataset: Dataset): void {
  for (const { name, re, im } of signalsOf(dataset)) {
    if (name.startsWith('reference')) continue;
    for (const [variable, known] of [
      [re, dataset.variables.reference_re],
      [im, dataset.variables.reference_im],
    ] as const) {
      const [ground = 0, excited = 0] = [known?.values[0] ?? 0, known?.values[1] ?? 0];
      mapped(variable, (value) => ground + excited - value);
    }
  }
}

/** Stores the prepared states in the opposite order, with the matching coordinate. */
export function reorderStates(dataset: Dataset): void {
  const { state } = dataset.coordinates;
  if (state === undefined) return;
  state.values = state.values.toReversed();
  for (const variable of Object.values(dataset.variables)) {
    if (variable.dims[0] !== 'state') continue;
    const half = variable.values.length / 2;
    variable.values = [...variable.values.slice(half), ...variable.values.slice(0, half)];
  }
}

/** Stores a sweep with a falling axis. */
export function reverseAxis(dataset: Dataset): void {
  const axis = Object.keys(dataset.coordinates).find((name) => name !== 'state');
  for (const variable of [...Object.values(dataset.coordinates), ...Object.values(dataset.variables)]) {
    if (variable.dims.length === 1 && variable.dims[0] === axis)
      variable.values = variable.values.toReversed();
  }
}

/** Spellings of units in which labs send times and frequencies, with the value of one ns or GHz in them. */
const TIMES: readonly [Unit, ...Unit[]] = [
  { spelling: 's', factor: 1e-9 },
  { spelling: 'seconds', factor: 1e-9 },
  { spelling: 'ms', factor: 1e-6 },
  { spelling: 'us', factor: 1e-3 },
  { spelling: 'µs', factor: 1e-3 },
  { spelling: 'microsecond', factor: 1e-3 },
  { spelling: 'ns', factor: 1 },
  { spelling: '', factor: 1 },
];
const FREQUENCIES: readonly [Unit, ...Unit[]] = [
  { spelling: 'Hz', factor: 1e9 },
  { spelling: 'kHz', factor: 1e6 },
  { spelling: 'MHz', factor: 1e3 },
  { spelling: 'megahertz', factor: 1e3 },
  { spelling: 'GHz', factor: 1 },
];
const SIGNALS: readonly [Unit, ...Unit[]] = [
  { spelling: 'V', factor: 1 },
  { spelling: 'mV', factor: 1e3 },
  { spelling: 'arb. u.', factor: 1 },
];

interface Unit {
  spelling: string;
  factor: number;
}

/** Sends axes and signals in other units, which are stated. */
export function otherUnits(dataset: Dataset, random: Random): void {
  const [time, frequency, signal] = [
    chosen(random, TIMES),
    chosen(random, FREQUENCIES),
    chosen(random, SIGNALS),
  ];
  const change = (variable: DatasetVariable, { spelling, factor }: Unit) => {
    mapped(variable, (value) => value * factor);
    variable.unit = spelling;
  };
  for (const variable of Object.values(dataset.coordinates)) {
    if (variable.unit === 'ns') change(variable, time);
    if (variable.unit === 'GHz') change(variable, frequency);
  }
  for (const { re, im } of signalsOf(dataset)) for (const variable of [re, im]) change(variable, signal);
}

/** Readout errors of single shots that were compared with a threshold. */
const [WRONG_GROUND, WRONG_EXCITED] = [0.02, 0.05];

/** Mean signals of the ground state and the excited state, with equal numbers of each. */
function preparedIn({ variables }: Dataset, name: string): [number, number] {
  const values = (variables[name]?.values ?? []).map((value) => value ?? 0);
  const meanOf = (part: readonly number[]) => part.reduce((sum, value) => sum + value, 0) / part.length;
  const half = values.length / 2;
  return [meanOf(values.slice(0, half)), meanOf(values.slice(half))];
}

/**
 * Replaces noise-free averages by the fraction of shots found in the excited state: real numbers on one axis. Prepared
 * states are also counted.
 */
export function countShots(dataset: Dataset, shots: number, random: Random): void {
  const [[re0, re1], [im0, im1]] = [preparedIn(dataset, 'reference_re'), preparedIn(dataset, 'reference_im')];
  const squared = (re1 - re0) ** 2 + (im1 - im0) ** 2;
  const found = signalsOf(dataset).map(({ name, re, im }) => ({
    name,
    variable: re,
    values: re.values.map((value, index) => {
      if (value === null) return null;
      const part = ((value - re0) * (re1 - re0) + ((im.values[index] ?? 0) - im0) * (im1 - im0)) / squared;
      const excited = Math.min(1, Math.max(0, part));
      return binomial(shots, excited * (1 - WRONG_EXCITED) + (1 - excited) * WRONG_GROUND, random) / shots;
    }),
  }));
  for (const { name, variable, values } of found) {
    variable.values = values;
    delete dataset.variables[name.replace(/_re$/, '_im')];
  }
}

function binomial(shots: number, chance: number, random: Random): number {
  let count = 0;
  for (let shot = 0; shot < shots; shot++) if (random.uniform() < chance) count += 1;
  return count;
}
