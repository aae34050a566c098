import { describe, expect, test } from 'vitest';
import { fluxPhases } from '../../../../scripts/bench/honesty/truths/flux.ts';
import { wrapped } from '../../../../shared/science/fitting/phases.ts';
import { analyse } from '../../../../shared/tasks/analyses.ts';
import { gate } from '../../../../shared/tasks/gates.ts';
import { expectHonestErrors } from '../../../support/coverage-rules.ts';
import { type FluxPair, fluxPair } from '../../../support/flux-pairs.ts';
import { taskOf } from '../../../support/measured.ts';
import { measurePair } from '../../../support/pairs.ts';
import { repetitions } from '../../../support/repetitions.ts';

const name = 'CheckCZPhase';
const task = taskOf(name);
const PAIRS = repetitions({ quick: 20, soak: 100 });

/** The pair with a pulse that is wrong by a factor. */
function withPulse({ known, amplitude, gateTime }: FluxPair, off = 1) {
  const coupling = {
    ...known.coupling,
    cz_flux_amplitude: { value: off * amplitude, error: 0 },
    cz_gate_time: { value: gateTime, error: 0 },
  };
  return { ...known, coupling };
}

/** The phases of the pulse. */
function phasesOf({ pair, amplitude, gateTime }: FluxPair, off: number) {
  return fluxPhases(pair, { amplitude: off * amplitude, lengthNs: gateTime });
}

describe('the analysis of CheckCZPhase', () => {
  test('finds the conditional phase and those of both qubits with honest errors, even for a wrong pulse', async () => {
    const pulls: number[] = [];
    for (let index = 0; index < PAIRS; index++) {
      const flux = fluxPair(index);
      const off = index % 2 === 0 ? 1 : 1.0003;
      const analysis = analyse(await measurePair(name, flux, withPulse(flux, off)));
      expect(gate(task, analysis)).toBeNull();
      for (const [output, phase] of Object.entries(phasesOf(flux, off))) {
        const { value = Number.NaN, error = Number.NaN } = analysis.outputs[output] ?? {};
        pulls.push(wrapped(value - phase) / error);
      }
    }
    expectHonestErrors(pulls);
  });

  test('limits the phases of the single qubits by the errors of their frequencies, and the conditional phase only by noise', async () => {
    const flux = fluxPair(0);
    const known = withPulse(flux);
    const beside = 5e-5;
    const off = (frequency = { value: Number.NaN, error: 0 }) => ({
      value: frequency.value + beside,
      error: beside,
    });
    const stored = {
      ...known,
      control: { ...known.control, qubit_frequency: off(known.control.qubit_frequency) },
      target: { ...known.target, qubit_frequency: off(known.target.qubit_frequency) },
    };
    const { outputs } = analyse(await measurePair(name, flux, stored, { run: { shots: 1_000_000 } }));
    const conditional = outputs.cz_conditional_phase?.error ?? Number.NaN;
    for (const [output, phase] of Object.entries(phasesOf(flux, 1))) {
      const { value = Number.NaN, error = Number.NaN } = outputs[output] ?? {};
      if (output === 'cz_conditional_phase') {
        expect(Math.abs(wrapped(value - phase))).toBeLessThan(4 * error);
        continue;
      }
      // The frequency is wrong by exactly its error.
      expect(Math.abs(wrapped(value - phase)) / error, output).toBeGreaterThan(0.8);
      expect(Math.abs(wrapped(value - phase)) / error, output).toBeLessThan(1.2);
      expect(error).toBeGreaterThan(5 * conditional);
    }
  });

  test('refuses a pulse whose conditional phase is far from pi', async () => {
    const flux = fluxPair(0);
    const analysis = analyse(await measurePair(name, flux, withPulse(flux, 1.004)));
    expect(gate(task, analysis)).not.toBeNull();
  });

  test.each([
    { pulse: 'does nothing', amplitude: 0.02, time: () => 5 },
    { pulse: 'turns |11> twice', amplitude: null, time: (gateTime: number) => 2 * gateTime },
    { pulse: 'stops with |11> half exchanged', amplitude: null, time: (gateTime: number) => gateTime / 2 },
  ])('refuses a pulse that $pulse, for any pair', async ({ amplitude, time }) => {
    for (let index = 0; index < 2 * PAIRS; index++) {
      const flux = fluxPair(index);
      const played = {
        ...flux,
        amplitude: amplitude ?? flux.amplitude,
        gateTime: time(flux.gateTime - flux.pair.fluxLine.rampNs) + flux.pair.fluxLine.rampNs,
      };
      const analysis = analyse(await measurePair(name, flux, withPulse(played)));
      expect(gate(task, analysis), flux.qid).not.toBeNull();
    }
  });

  test('refuses an instrument that repeats one point of either qubit', async () => {
    const flux = fluxPair(0);
    const measured = await measurePair(name, flux, withPulse(flux));
    for (const side of ['target', 'control']) {
      const frozen = ['re', 'im'].map((part) => {
        const variable = measured.dataset.variables[`${side}_${part}`];
        if (!variable) expect.fail(`${side} has no signal`);
        const values = variable.values.map((value, index, all) =>
          index % 25 > 20 ? (all[index - (index % 25) + 20] ?? value) : value,
        );
        return [`${side}_${part}`, { ...variable, values }];
      });
      const variables = { ...measured.dataset.variables, ...Object.fromEntries(frozen) };
      const { refused } = analyse({ ...measured, dataset: { ...measured.dataset, variables } });
      expect(refused).toMatch(new RegExp(`^${side}: the instrument repeats`));
    }
  });

  test('draws the fringes of both qubits, and refuses noise', async () => {
    const flux = fluxPair(0);
    const measured = await measurePair(name, flux, withPulse(flux));
    const { figures } = analyse(measured);
    expect(figures.map(({ layout }) => layout.title.text)).toEqual(
      ['target', 'control'].map((side) =>
        expect.stringMatching(
          new RegExp(`${name} · coupling ${flux.qid} · ${side} · conditional phase 3\\.1`),
        ),
      ),
    );
    const { variables } = measured.dataset;
    const flat = (side: string) =>
      ['re', 'im'].flatMap((part) => {
        const variable = variables[`${side}_${part}`];
        return variable
          ? [[`${side}_${part}`, { ...variable, values: variable.values.map(() => 0.01) }]]
          : [];
      });
    const spoilt = { ...variables, ...Object.fromEntries([...flat('target'), ...flat('control')]) };
    const { refused } = analyse({ ...measured, dataset: { ...measured.dataset, variables: spoilt } });
    expect(refused).toBeDefined();
  });
});
