import type { Dataset } from '../../../shared/science/datasets/model.ts';
import type { TrueQubit } from '../../../shared/science/device/device.ts';
import type { MeasureOnce, QubitKind, Trial, Truths } from './model.ts';

/** The devices in consecutive parts of a sweep, all of the same length. */
export type Course = (qubit: TrueQubit) => TrueQubit[];

/** Number of parts in which a drift is simulated. */
const PIECES = 8;

/** A device that changes in the middle of the sweep. */
export function stepping(change: (qubit: TrueQubit) => TrueQubit): Course {
  return (qubit) => [qubit, change(qubit)];
}

/** A device with a quantity that grows by this fraction until the end of the sweep. */
export function drifting(quantity: 'maximumRabiFrequency', by: number): Course {
  return (qubit) =>
    Array.from({ length: PIECES }, (_, piece) => ({
      ...qubit,
      [quantity]: qubit[quantity] * (1 + (by * (piece + 0.5)) / PIECES),
    }));
}

/**
 * A device that changes during the sweep. Prepared states are measured before it. Any value between the initial one and
 * the final one is correct.
 */
export function changing(course: Course, truths: Truths): Pick<QubitKind, 'measure' | 'truths'> {
  return {
    measure: (once: MeasureOnce, { qubit }: Trial) =>
      spliced(course(qubit).map((each) => once({ qubit: each }))),
    truths(trial, found) {
      const values = course(trial.qubit).map((qubit) => truths({ ...trial, qubit }, found));
      return Object.fromEntries(
        Object.keys(values[0] ?? {}).map((name) => {
          const all = values.map((each) => each[name] ?? Number.NaN);
          const nearest = Math.min(Math.max(...all), found[name]?.value ?? Number.NaN);
          return [name, Math.max(Math.min(...all), nearest)];
        }),
      );
    },
  };
}

/** One part of the signals from each dataset, and the prepared states from the first one. */
function spliced(parts: readonly Dataset[]): Dataset {
  const [first] = parts;
  if (first === undefined) throw new Error('A sweep needs a device.');
  const variables = Object.entries(first.variables).map(([name, variable]) => {
    if (name.includes('reference')) return [name, variable] as const;
    const values = variable.values.map((_, index, { length }) => {
      const part = Math.floor((index * parts.length) / length);
      return parts[part]?.variables[name]?.values[index] ?? null;
    });
    return [name, { ...variable, values }] as const;
  });
  return { ...first, variables: Object.fromEntries(variables) };
}
