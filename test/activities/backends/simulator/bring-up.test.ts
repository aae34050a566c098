import { describe, expect, test } from 'vitest';
import type { FaultPlan } from '../../../../activities/backends/simulator/faults.ts';
import { createSimulator } from '../../../../activities/backends/simulator/simulator.ts';
import { defectiveQubit } from '../../../../shared/science/device/defects.ts';
import { type Calibrated, calibrate } from '../../../support/calibrating.ts';
import { at } from '../../../support/measured.ts';
import { repetitions } from '../../../support/repetitions.ts';

const bringUp = [
  'CheckResonatorSpectroscopy',
  'CheckQubitSpectroscopy',
  'CheckControlAmplitude',
  'CheckChevron',
];
/** Four in a row put each fault at each place of its multiplexer; these two at two that are far from each other. */
const seeds = repetitions({ quick: [0, 2], soak: Array.from({ length: 20 }, (_, index) => index) });
const qubits = Array.from({ length: 16 }, (_, index) => String(index));
const TARGET_RABI_RATE = 0.0125;

/** Messages that name what is wrong. */
const noLine =
  /^CheckQubitSpectroscopy: .*(no line of the map exceeds the noise|the tallest line is .* high, less than|cannot be fitted|not resolved|r2 .* is not above)/;
const noResonator = (qid: string) =>
  new RegExp(
    `^CheckResonatorSpectroscopy: .*3 of 4 resonators .* (the one of qubit ${qid} is missing|cannot be determined)`,
  );
const notOneResonator =
  /^CheckResonatorSpectroscopy: .*(not one resonator|is not resolved|cannot be fitted|cannot be determined|r2 .* is not above)/;

/** Places of a MUX by rising resonator frequency. */
const risingResonators = [3, 0, 2, 1];

/** A fault in each MUX of a chip, at another place for each seed, and what has to be said of each qubit it spoils. */
function sickChip(index: number): { faults: FaultPlan; symptoms: Map<string, RegExp> } {
  const at = (mux: number, place: number) => String(4 * mux + ((index + place) % 4));
  const [dead, silent, blurred, noisy, broken] = [at(0, 0), at(1, 0), at(2, 0), at(0, 2), at(2, 2)];
  const slot = 1 + (index % 3);
  const close = String(12 + (risingResonators[slot] ?? 0));
  const neighbour = String(12 + (risingResonators[slot - 1] ?? 0));
  return {
    faults: {
      defects: [
        { qids: [dead], defect: 'dead' },
        { qids: [silent], defect: 'no_resonator' },
        { qids: [blurred], defect: 'low_contrast' },
        { qids: [close], defect: 'close_resonator' },
      ],
      rules: [
        { match: { task_name: 'CheckChevron', targets: [noisy] }, behaviour: 'noise' },
        {
          match: { task_name: 'CheckControlAmplitude', targets: [broken] },
          behaviour: 'error',
          message: 'no pump signal',
        },
      ],
    },
    symptoms: new Map([
      [dead, noLine],
      [silent, noResonator(silent)],
      [blurred, noLine],
      [close, noResonator(close)],
      [neighbour, notOneResonator],
      [noisy, /^CheckChevron: .*(not good enough|was refused)/],
      [broken, /^CheckControlAmplitude: no pump signal/],
    ]),
  };
}

/** The truth about what a bring-up measures; what it only chooses, as powers, has none. */
function truthOf(seed: string, qid: string, { defects = [] }: FaultPlan): Record<string, number> {
  const qubit = defectiveQubit(seed, qid, at, defects);
  const amplitude = TARGET_RABI_RATE / qubit.maximumRabiFrequency;
  return {
    readout_frequency: qubit.resonatorGround,
    coarse_qubit_frequency: qubit.f01,
    anharmonicity: qubit.anharmonicity,
    coarse_control_amplitude: amplitude,
    qubit_frequency: qubit.f01,
    control_amplitude: amplitude,
  };
}

/** What the bring-up leaves for all later tasks. */
const results = ['readout_frequency', 'qubit_frequency', 'control_amplitude'];

/**
 * Stricter than "5 standard errors or 2 %": each measured value, coarse ones too, lies within 5 of its own standard
 * errors, and what later tasks build on within 2 % as well. An error of 0 says that a value was chosen, not measured.
 */
function expectTrue({ accepted, known }: Calibrated, truth: Record<string, number>, where: string) {
  for (const { task, parameter, value, error } of accepted) {
    const expected = truth[parameter];
    if (expected === undefined || error === 0) continue;
    expect(Math.abs(value - expected) / error, `${parameter} of ${task}, ${where}`).toBeLessThan(5);
  }
  for (const parameter of results) {
    const found = known[parameter];
    if (found === undefined) continue;
    const deviation = Math.abs(found.value / (truth[parameter] ?? Number.NaN) - 1);
    expect(deviation, `${parameter}, ${where}`).toBeLessThan(0.02);
  }
}

describe('the bring-up of a blank chip', () => {
  const healthy: Calibrated[] = [];

  test.each(seeds)(
    'of seed %i accepts nothing that is far from the truth, and reports every fault',
    async (index) => {
      const seed = `bring-up ${index}`;
      const { faults, symptoms } = sickChip(index);
      expect(symptoms.size).toBe(7);
      for (const qid of qubits) {
        const calibrated = await calibrate(bringUp, { seed, qid, faults });
        expectTrue(calibrated, truthOf(seed, qid, faults), `qubit ${qid} of ${seed}`);
        const symptom = symptoms.get(qid);
        if (symptom === undefined) healthy.push(calibrated);
        else expect(calibrated.failure, `qubit ${qid} of ${seed}`).toMatch(symptom);
      }
    },
  );

  test('brings up more than 90 % of the healthy qubits', () => {
    expect(healthy.length).toBe(seeds.length * 9);
    const passed = healthy.filter(({ failure }) => failure === null);
    expect(passed.length / healthy.length).toBeGreaterThan(0.9);
  });

  test('hands CheckRabi what it needs', async () => {
    const place = { seed: 'bring-up 0', qid: '1' };
    const { failure, known } = await calibrate([...bringUp, 'CheckRabi', 'CheckRabi'], place);
    expect(failure).toBeNull();
    const { maximumRabiFrequency } = createSimulator({ seed: place.seed }).truth('chip', place.qid, at);
    const rabi = (known.control_amplitude?.value ?? 0) * maximumRabiFrequency;
    expect(Math.abs(rabi / TARGET_RABI_RATE - 1)).toBeLessThan(0.02);
  });
});

describe('resonators in another order than the usual one', () => {
  const faults: FaultPlan = {
    rules: [],
    defects: [{ qids: ['4', '5', '6', '7'], defect: 'swapped_resonator' }],
  };
  const seed = 'bring-up 0';

  test.each(['4', '5', '6', '7'])(
    'leave qubit %s without a line, read out with its neighbour',
    async (qid) => {
      const { failure } = await calibrate(bringUp, { seed, qid, faults });
      expect(failure).toMatch(noLine);
    },
  );

  test.each(['4', '5', '6', '7'])(
    'are told apart for qubit %s by the order that the lab names',
    async (qid) => {
      const order = { CheckResonatorSpectroscopy: { resonator_assignment_pattern: '16q' } };
      const calibrated = await calibrate(bringUp, { seed, qid, faults, run: order });
      expect(calibrated.failure).toBeNull();
      expectTrue(calibrated, truthOf(seed, qid, faults), `qubit ${qid}`);
    },
  );
});
