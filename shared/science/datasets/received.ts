import { converted, isSameQuantity, unitConversion } from '../conventions/unit-table.ts';
import type { Dataset, DatasetVariable } from './model.ts';
import { datasetProblem } from './rules.ts';

/**
 * Units in which analyses read coordinates and variables, by the suffix of their names. All others are plain numbers.
 */
const expectedUnits: readonly (readonly [RegExp, string])[] = [
  [/(^|_)(time|delay)$/, 'ns'],
  [/(^|_)beta(_\d+)?$/, 'ns'],
  [/(^|_)frequency$/, 'GHz'],
  [/^power$/, 'dB'],
  [/^round$/, 's'],
  [/(^|_)phase$/, 'rad'],
];
/** Names of signals. They may have any unit, but all signals of a dataset must have the same one. */
const SIGNAL = /^(noise|.+_(re|im))$/;
/** Units of an amplitude. Volts cannot be converted to fractions of full scale. */
const PLAIN = 'a.u.';

/** The order in which analyses read dimensions; the last one varies fastest. */
const ORDER: readonly string[] = [
  'run',
  'round',
  'step',
  'reading',
  'control_state',
  'spectator_state',
  'axis',
  'control_axis',
  'target_axis',
  'clifford_count',
  'trial',
  'gates',
  'power',
  'time',
  'amplitude',
  'state',
  'shot',
  'repetition',
  'delay',
  'frequency',
  'flux_amplitude',
  'phase',
  'prepared',
  'outcome',
];

/**
 * The unit in which analyses read a coordinate or a variable of this name; null for a signal, which may have any unit.
 */
export function expectedUnit(name: string): string | null {
  if (SIGNAL.test(name)) return null;
  return expectedUnits.find(([ending]) => ending.test(name))?.[1] ?? PLAIN;
}

/**
 * Converts a received dataset to the form that analyses read: expected units, dimensions in the expected order, rising
 * axes, and 0 for a quadrature that is missing or has no values.
 * @returns the dataset, or the reason why it cannot be read, as the end of a sentence. It contains both units if a unit
 * is the problem.
 */
export function receivedDataset(given: Dataset): Dataset | string {
  const problem = datasetProblem(given);
  if (problem !== null) return problem;
  const whole = withBothQuadratures(given);
  const units = inExpectedUnits(whole);
  if (typeof units === 'string') return units;
  return inOrder(rising(units));
}

/** The dataset with every unit stated, so that it can be read without the catalog. */
export function withStatedUnits(dataset: Dataset): Dataset {
  const stated = (variables: Dataset['variables']) =>
    Object.fromEntries(
      Object.entries(variables).map(([name, variable]) => [
        name,
        variable.unit.trim() === '' ? { ...variable, unit: statedUnit(name) } : variable,
      ]),
    );
  return { ...dataset, coordinates: stated(dataset.coordinates), variables: stated(dataset.variables) };
}

/** Numbers without a unit stay without one. */
function statedUnit(name: string): string {
  const unit = expectedUnit(name);
  return unit === null || unit === PLAIN ? '' : unit;
}

/** Adds 0 as the missing quadrature of signals that were recorded in one quadrature. */
function withBothQuadratures(dataset: Dataset): Dataset {
  const variables = new Map(Object.entries(dataset.variables));
  const bare = variables.get('iq');
  if (bare && !variables.has('iq_re') && !variables.has('iq_im')) {
    variables.delete('iq');
    variables.set('iq_re', bare);
  }
  const parts = [...variables].flatMap(([name, variable]) => {
    const [, stem, part] = /^(.+)_(re|im)$/.exec(name) ?? [];
    if (stem === undefined || variable.values.every((value) => value === null)) return [];
    return [{ name, variable, other: `${stem}_${part === 're' ? 'im' : 're'}` }];
  });
  const present = new Set(parts.map(({ name }) => name));
  // If one signal has both quadratures, another with only one was not measured completely.
  if (parts.some(({ other }) => present.has(other))) return dataset;
  for (const { variable, other } of parts) {
    const values = variable.values.map((value) => (value === null ? null : 0));
    variables.set(other, { ...variable, values });
  }
  return { ...dataset, variables: Object.fromEntries(variables) };
}

function inExpectedUnits(dataset: Dataset): Dataset | string {
  const signals = Object.entries(dataset.variables).filter(([name]) => expectedUnit(name) === null);
  const stated = signals.map(([, { unit }]) => unit).find((unit) => unit.trim() !== '') ?? PLAIN;
  const read: Pick<Dataset, 'coordinates' | 'variables'> = { coordinates: {}, variables: {} };
  for (const kind of ['coordinates', 'variables'] as const) {
    const entries: [string, DatasetVariable][] = [];
    for (const [name, variable] of Object.entries(dataset[kind])) {
      const unit = expectedUnit(name) ?? stated;
      const own = variable.unit;
      const isSpelledAlike = own.trim() === unit.trim();
      const conversion = isSpelledAlike ? { factor: 1 } : unitConversion(own, unit);
      if ('problem' in conversion) return `${name} has a unit that does not fit: ${conversion.problem}`;
      const { factor } = conversion;
      const values =
        factor === 1
          ? variable.values
          : variable.values.map((value) => (value === null ? null : converted(value, factor)));
      entries.push([name, { ...variable, values, unit: factor === 1 ? own : unit }]);
    }
    read[kind] = Object.fromEntries(entries);
  }
  const level = signals.find(([, { unit }]) => ['dB', 'rad'].some((other) => isSameQuantity(unit, other)));
  if (level !== undefined) {
    return `${level[0]} has the unit ${JSON.stringify(level[1].unit)}; a quadrature is linear, such as V or "a.u."`;
  }
  return { ...dataset, ...read };
}

/** Reverses axes that fall from point to point, with all data over them. */
function rising(dataset: Dataset): Dataset {
  const falling = Object.entries(dataset.coordinates).flatMap(([name, { values }]) =>
    values.length > 1 && values.every((value, index) => index === 0 || isBelow(value, values[index - 1]))
      ? [name]
      : [],
  );
  const turn = (variable: DatasetVariable) =>
    falling.reduce((turned, axis) => reversedAlong(dataset.dims, turned, axis), variable);
  return {
    ...dataset,
    coordinates: mapped(dataset.coordinates, turn),
    variables: mapped(dataset.variables, turn),
  };
}

function isBelow(value: number | null, before: number | null | undefined): boolean {
  return typeof value === 'number' && typeof before === 'number' && value < before;
}

function mapped(
  variables: Readonly<Record<string, DatasetVariable>>,
  change: (variable: DatasetVariable) => DatasetVariable,
): Record<string, DatasetVariable> {
  return Object.fromEntries(Object.entries(variables).map(([name, variable]) => [name, change(variable)]));
}

function reversedAlong(sizes: Dataset['dims'], variable: DatasetVariable, axis: string): DatasetVariable {
  const at = variable.dims.indexOf(axis);
  if (at < 0) return variable;
  const size = sizes[axis] ?? 1;
  const faster = variable.dims.slice(at + 1).reduce((product, name) => product * (sizes[name] ?? 1), 1);
  const values = variable.values.map((_, index) => {
    const place = Math.floor(index / faster) % size;
    return variable.values[index + (size - 1 - 2 * place) * faster] ?? null;
  });
  return { ...variable, values };
}

function inOrder(dataset: Dataset): Dataset {
  return {
    ...dataset,
    variables: mapped(dataset.variables, (variable) => transposed(dataset.dims, variable)),
  };
}

/** The rank of a dimension in the expected order. Unknown dimensions follow the others in their given order. */
function placeOf(name: string): number {
  const plain = name.replace(/^rough_/, '');
  const place = ORDER.indexOf(plain);
  return place < 0 ? ORDER.length : place;
}

function transposed(sizes: Dataset['dims'], variable: DatasetVariable): DatasetVariable {
  const dims = variable.dims
    .map((name, index) => ({ name, index, place: placeOf(name) }))
    .sort((a, b) => a.place - b.place || a.index - b.index);
  if (dims.every(({ index }, position) => index === position)) return variable;
  const strides = variable.dims.map((_, index) =>
    variable.dims.slice(index + 1).reduce((product, name) => product * (sizes[name] ?? 1), 1),
  );
  const values = variable.values.map((_, position) => {
    let rest = position;
    let from = 0;
    for (const { name, index } of [...dims].reverse()) {
      const size = sizes[name] ?? 1;
      from += (rest % size) * (strides[index] ?? 0);
      rest = Math.floor(rest / size);
    }
    return variable.values[from] ?? null;
  });
  return { ...variable, dims: dims.map(({ name }) => name), values };
}
