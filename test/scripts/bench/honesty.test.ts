import { describe, expect, test } from 'vitest';
import { kinds } from '../../../scripts/bench/honesty/kinds.ts';
import { judge } from '../../../scripts/bench/honesty/measuring.ts';
import type { Kind, QubitKind, Verdict } from '../../../scripts/bench/honesty/model.ts';
import { READOUT_DEVICES, tuneReadout } from '../../../scripts/bench/honesty/readout.ts';
import { taskCatalog } from '../../../shared/tasks/catalog.ts';
import { repetitions } from '../../support/repetitions.ts';

const SEEDS = repetitions({ quick: 2, soak: 20 });
const seeds = Array.from({ length: SEEDS }, (_, index) => `test-${index}`);

const judged = new Map<string, Verdict>();

/** Verdicts by kind, cached because several tests use the same ones. */
function verdictOn(kind: Kind, seed: string): Verdict {
  const key = `${kind.name} ${seed}`;
  const verdict = judged.get(key) ?? judge(kind, seed);
  judged.set(key, verdict);
  return verdict;
}

/** Verdicts of the kinds with a matching name. */
function campaign(matches: (kind: Kind) => boolean) {
  const chosen = kinds.filter(matches);
  expect(chosen.length).toBeGreaterThan(0);
  return chosen.flatMap((kind) => seeds.map((seed) => verdictOn(kind, seed)));
}

describe('the honesty campaign', () => {
  test('finds healthy measurements accepted and correct', () => {
    const verdicts = campaign(
      ({ group, task }) => group === 'healthy' && /T1|T2|Ramsey|Rabi|Pulse$|Delay|Shift/.test(task),
    );
    expect(verdicts.filter(({ outcome }) => outcome !== 'accepted')).toEqual([]);
  });

  test('judges every output of a measurement that has a true value', () => {
    const settings =
      /_length$|^cancel_beta$|^rotary_amplitude$|^zx90_gate_time$|^f01_(repr_db|quality_level)$/;
    // Outputs without a true value: arbitrary signals of the instrument, scatter that includes noise, and values that
    // only must be good enough.
    const descriptive = /^ef_rabi_amplitude$|_std$|_spread$|^optimal_power$|^coarse_control_amplitude$/;
    // Chevrons return the given readout amplitude; CreateZX90 returns the given tones.
    const handedOn = new Map([
      ['CheckResonatorSpectroscopy', ['readout_amplitude']],
      ['CheckCoarseChevron', ['readout_amplitude']],
      ['CheckFineChevron', ['readout_amplitude']],
      ['CheckCrossResonance', ['cr_amplitude']],
      ['CreateZX90', ['cr_phase', 'cancel_phase', 'zx_rotation_rate']],
    ]);
    for (const { name, kind, outputs } of taskCatalog) {
      // Outputs that healthy targets may lack, such as the second rate of a decay, are judged with the imperfect ones.
      const always = Object.keys(outputs).filter((output) => !outputs[output]?.optional);
      const promised = always.filter(
        (output) =>
          !settings.test(output) && !descriptive.test(output) && !handedOn.get(name)?.includes(output),
      );
      if (kind !== 'measured' || promised.length === 0) continue;
      const healthy = kinds.find(({ group, task }) => group === 'healthy' && task === name);
      // The second line of a spectrum is not always visible, so several seeds are tried.
      let missing = promised;
      for (const seed of seeds) {
        if (healthy === undefined || missing.length === 0) break;
        const { pulls } = verdictOn(healthy, seed);
        missing = missing.filter((output) => !(output in pulls));
      }
      expect({ name, missing }).toEqual({ name, missing: [] });
    }
  });

  test('finds pairs accepted and correct', () => {
    const verdicts = campaign(({ group, of }) => group === 'healthy' && of === 'pair');
    expect(verdicts.filter(({ outcome }) => outcome !== 'accepted')).toEqual([]);
  });

  test('finds no false value of a pair accepted, for any fault of the instrument', () => {
    const verdicts = campaign(
      ({ name }) =>
        /^Check(StaticZZ|CrossResonance|CZPhase), (frozen|offset|gain)/.test(name) ||
        /^(CreateZX90|CheckBellStateTomography|\w+InterleavedRandomizedBenchmarking|CheckCZChevron), frozen/.test(
          name,
        ),
    );
    expect(verdicts.filter(({ outcome }) => outcome === 'false')).toEqual([]);
  });

  test('finds no false value of a stuck, jumping or drifting instrument accepted', () => {
    // Changes of the qubit itself are not faults of the instrument. The campaign reports their effects.
    const verdicts = campaign(
      ({ group, task, name }) =>
        group === 'spoilt' && /T1|Ramsey|Rabi/.test(task) && !/, T1 falls/.test(name),
    );
    expect(verdicts.filter(({ outcome }) => outcome === 'false')).toEqual([]);
  });

  test('finds single outliers harmless', () => {
    const verdicts = campaign(
      ({ name, task }) =>
        /T1|T2|Ramsey|Rabi|HPIPulse$|Chevron/.test(task) &&
        /^\w+(?<!EFRabi|DRAGHPIPulse), one wild/.test(name),
    );
    expect(verdicts.filter(({ outcome }) => outcome !== 'accepted')).toEqual([]);
  });

  test.each(READOUT_DEVICES)(
    'finds the readout of calibrated qubits within 0.02 of the best that their devices allow, %s ones',
    (devices) => {
      const tuned = seeds.slice(0, SEEDS / 2).map((seed) => tuneReadout(devices, seed));
      expect(tuned.filter(({ refused }) => refused !== null)).toEqual([]);
      expect(tuned.filter(({ allowed, reached }) => allowed - reached > 0.02)).toEqual([]);
    },
  );

  test('finds a Rabi oscillation far from the qubit refused', () => {
    const verdicts = campaign(({ name }) => name.startsWith('Rabi detuned'));
    expect(verdicts.map(({ message }) => message)).toEqual(
      verdicts.map(() => expect.stringMatching(/the drive is [\d.]+ ± [\d.]+ MHz (above|below) the qubit/)),
    );
  });

  test('finds a line whose fit with a memory does not converge from rough start values', () => {
    const kind = kinds.find(
      ({ name }) => name === 'CheckEFSpectroscopy, each point keeps a tenth of the one before',
    );
    if (kind === undefined) return expect.fail('there is no such kind');
    const verdicts = ['b958fed5-13', 'b958fed5-15'].map((seed) => judge(kind, seed));
    expect(verdicts.filter(({ outcome }) => outcome !== 'accepted')).toEqual([]);
  });
});

describe('the honesty campaign at extreme devices', () => {
  test('finds relaxation of 1 us to 1 ms, and a drive detuned by more than the sweep resolves', () => {
    const verdicts = campaign(({ name }) => /^T1 of 1 us|^Ramsey with a drive off|^Rabi driven/.test(name));
    expect(verdicts.filter(({ outcome }) => outcome !== 'accepted')).toEqual([]);
  });

  test.each([
    { t1: 1, t2: 0.3 },
    { t1: 1000, t2: 1000 },
  ])(
    'finds each coherence time at the ends of the measured range, T1 of $t1 us and T2 of $t2 us',
    ({ t1, t2 }) => {
      const ends: Pick<QubitKind, 'task' | 'truths'>[] = [
        { task: 'CheckT1', truths: () => ({ t1 }) },
        { task: 'CheckT2Echo', truths: () => ({ t2_echo: t2 }) },
        { task: 'CheckRamsey', truths: ({ qubit }) => ({ t2_star: t2, qubit_frequency: qubit.f01 }) },
      ];
      const verdicts = ends.flatMap((end) =>
        seeds.slice(0, SEEDS / 2).map((seed) =>
          judge(
            {
              ...end,
              name: `${end.task} of ${t2} us`,
              group: 'extreme',
              device: (qubit) => ({ ...qubit, t1, t2Echo: t2, t2Star: t2 }),
            },
            seed,
          ),
        ),
      );
      expect(verdicts.filter(({ outcome }) => outcome === 'false')).toEqual([]);
      const refused = verdicts.filter(({ outcome }) => outcome === 'refused');
      expect(refused.length).toBeLessThanOrEqual(verdicts.length / 10);
    },
  );

  test.each([
    { width: 0.3, loss: 1 },
    { width: 0.3, loss: 0.05 },
    { width: 20, loss: 1 },
    { width: 20, loss: 0.05 },
  ])(
    'finds a resonator that is $width MHz wide with losses of $loss times the leakage',
    ({ width, loss }) => {
      const kappa = width / 1000;
      const kappaExternal = kappa / (1 + loss);
      const kind: Kind = {
        name: `${width} MHz wide, ${loss}`,
        group: 'extreme',
        task: 'CheckReflectionCoefficient',
        truths: ({ qubit }) => ({
          resonator_frequency: qubit.resonatorGround,
          kappa_external: 1000 * kappaExternal,
          kappa_internal: 1000 * (kappa - kappaExternal),
        }),
        device: (qubit) => ({ ...qubit, kappa, kappaExternal, kappaInternal: kappa - kappaExternal }),
      };
      const verdicts = seeds.map((seed) => judge(kind, seed));
      expect(verdicts.filter(({ outcome }) => outcome !== 'accepted')).toEqual([]);
    },
  );
});
