import { expect, test } from 'vitest';
import { byFrequency, tunedPhase } from '../../../../shared/science/device/flux-gate.ts';
import { wrapped } from '../../../../shared/science/fitting/phases.ts';
import { pairCoherenceInfidelity } from '../../../../shared/science/quantum/gate-coherence.ts';
import { analyse } from '../../../../shared/tasks/analyses.ts';
import { gate } from '../../../../shared/tasks/gates.ts';
import { fluxPair } from '../../../support/flux-pairs.ts';
import { type KnownPair, measurePair } from '../../../support/pairs.ts';
import { changed, PAIR_SEED, pairWithGate } from '../pair-failures.ts';

test('a gate has a lower fidelity with a slightly wrong phase', async () => {
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

test('the benchmark of a CZ gate finds its fidelity, which is lower with uncorrected phases', async () => {
  const { seed, qid, known, pair, amplitude, gateTime } = fluxPair(0);
  const pulse = { amplitude, lengthNs: gateTime };
  const phaseOf = (side: 'control' | 'target') =>
    pair[side] === byFrequency(pair).higher ? wrapped(tunedPhase(pair, pulse)) : 0;
  const fidelity = async (off: number) => {
    const coupling = {
      ...known.coupling,
      cz_flux_amplitude: { value: amplitude, error: 0 },
      cz_gate_time: { value: gateTime, error: 0 },
      cz_control_phase: { value: phaseOf('control') + off, error: 0 },
      cz_target_phase: { value: phaseOf('target'), error: 0 },
    };
    const name = 'CZInterleavedRandomizedBenchmarking';
    const measured = await measurePair(name, { seed, qid }, { ...known, coupling });
    const analysis = analyse(measured);
    expect(gate(measured.task, analysis)).toBeNull();
    expect(analysis.figures[0]?.layout.title.text).toContain('F(CZ) = ');
    return analysis.outputs['cz_gate_fidelity'] ?? expect.fail('no fidelity');
  };
  const { lower, higher } = byFrequency(pair);
  const dephased = { t1: higher.t1, t2: 1 / (1 / higher.t2Echo + 1 / pair.fluxLine.dephasingTime) };
  const least = pairCoherenceInfidelity(gateTime / 1000, dephased, { t1: lower.t1, t2: lower.t2Echo });
  const found = await fidelity(0);
  expect(Math.abs(found.value - (1 - least))).toBeLessThan(5 * found.error);
  // A phase error of 0.3 rad reduces the fidelity by about (3 / 20) of its square.
  const spoilt = await fidelity(0.3);
  expect(found.value - spoilt.value).toBeGreaterThan(0.008);
  expect(found.value - spoilt.value).toBeLessThan(0.025);
});
