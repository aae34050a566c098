import { expect } from 'vitest';
import type { DefectKind } from '../../../shared/science/device/defects.ts';
import { calibratedPair, calibratePair, type KnownPair } from '../../support/pairs.ts';

export const PAIR_SEED = 'pair-tasks';

/** The known values of the pair 0-2 after the calibration of its qubits. */
export const healthy = calibratedPair(PAIR_SEED, '0', '2');

let made: Promise<KnownPair> | undefined;

/** The known values of the pair with a gate. */
export function pairWithGate(): Promise<KnownPair> {
  made ??= calibratePair(PAIR_SEED, '0-2', healthy, { tasks: ['CheckCrossResonance', 'CreateZX90'] }).then(
    ({ known }) => known,
  );
  return made;
}

/** The known values of a pair, with one value changed. */
export function changed(
  known: KnownPair,
  side: keyof KnownPair,
  name: string,
  change: (value: number) => number,
): KnownPair {
  const { value, error } = known[side][name] ?? expect.fail(`no ${name}`);
  return { ...known, [side]: { ...known[side], [name]: { value: change(value), error } } };
}

/** The reason why the pair 0-2 cannot be calibrated by these tasks; null if it can. */
export async function failureOf(known: KnownPair, tasks: string[], defect?: [string, DefectKind]) {
  const faults = defect && { rules: [], defects: [{ qids: [defect[0]], defect: defect[1] }] };
  return (await calibratePair(PAIR_SEED, '0-2', known, { tasks, faults })).failure;
}
