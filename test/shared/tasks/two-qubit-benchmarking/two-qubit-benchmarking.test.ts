import { expect, test } from 'vitest';
import { analyse } from '../../../../shared/tasks/analyses.ts';
import { gate } from '../../../../shared/tasks/gates.ts';
import { type KnownPair, measurePair } from '../../../support/pairs.ts';
import { changed, PAIR_SEED, pairWithGate } from '../pair-failures.ts';

test('a gate has a lower fidelity with a phase that is a little off', async () => {
  const known = await pairWithGate();
  const name = 'ZX90InterleavedRandomizedBenchmarking';
  const fidelity = async (pair: KnownPair) => {
    const measured = await measurePair(name, { seed: PAIR_SEED, qid: '0-2' }, pair);
    const analysis = analyse(measured);
    expect(gate(measured.task, analysis)).toBeNull();
    return analysis.outputs.zx90_gate_fidelity?.value ?? 0;
  };
  const spoilt = changed(known, 'coupling', 'cr_phase', (value) => value + 0.4);
  expect(await fidelity(spoilt)).toBeLessThan((await fidelity(known)) - 0.02);
});
