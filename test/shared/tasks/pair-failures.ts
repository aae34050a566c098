import { expect } from 'vitest';
import type { DefectKind } from '../../../shared/science/device/defects.ts';
import { calibratedPair, calibratePair, type KnownPair } from '../../support/pairs.ts';

export const PAIR_SEED = 'pair-tasks';

/** What is known of the pair 0-2 once its qubits are calibrated. */
export const healthy = calibratedPair(PAIR_SEED, '0', '2');

let made: Promise<KnownPair> | undefined;

/** The same with a gate. */
export function pairWithGate(): Promise<KnownPair> {
  made ??= calibratePair(PAIR_SEED, '0-2', healthy, { tasks: ['CheckCrossResonance', 'CreateZX90'] }).then(
    ({ known }) => known,
  );
  return made;
}

/** What is known of a pair, one value of it changed. */
export function changed(
  known: KnownPair,
  side: keyof KnownPair,
  name: string,
  change: (value: number) => number,
): KnownPair {
  const { value, error } = known[side][name] ?? expect.fail(`no ${name}`);
  return { ...known, [side]: { ...known[side], [name]: { value: change(value), error } } };
}

/** Why the pair 0-2 cannot be calibrated by these tasks; null when it can. */
export async function failureOf(known: KnownPair, tasks: string[], defect?: [string, DefectKind]) {
  const faults = defect && { rules: [], defects: [{ qids: [defect[0]], defect: defect[1] }] };
  return (await calibratePair(PAIR_SEED, '0-2', known, { tasks, faults })).failure;
}
