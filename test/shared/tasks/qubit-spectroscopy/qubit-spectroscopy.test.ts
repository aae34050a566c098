import { describe, expect, test } from 'vitest';
import { trueQubit } from '../../../../shared/science/device/device.ts';
import { randomFrom } from '../../../../shared/science/device/random.ts';
import { analyse } from '../../../../shared/tasks/analyses.ts';
import { mapDataset } from '../../../../shared/tasks/common/simulation/spectroscopy.ts';
import { gate } from '../../../../shared/tasks/gates.ts';
import { sweepPoints } from '../../../../shared/tasks/run-parameters.ts';
import { coverageSeeds, expectHonestErrors } from '../../../support/coverage-rules.ts';
import { at, measure, taskOf } from '../../../support/measured.ts';

const task = taskOf('CheckQubitSpectroscopy');
const SEEDS = coverageSeeds(75);

describe.each(['CheckQubitSpectroscopy', 'CheckSimultaneousQubitSpectroscopy'])(
  'the analysis of %s',
  (name) => {
    test('finds frequency and anharmonicity with honest errors, and a usable amplitude', async () => {
      const [frequencies, anharmonicities]: [number[], number[]] = [[], []];
      for (let index = 0; index < SEEDS; index++) {
        const [seed, qid] = [`spectroscopy-${index}`, String(index % 16)];
        const truth = trueQubit(seed, qid, at);
        // The frequency at which CheckResonatorSpectroscopy finds the resonator.
        const inputs = { readout_frequency: truth.resonatorGround };
        const analysis = analyse(await measure(name, seed, { qid, inputs }));
        expect(gate(taskOf(name), analysis)).toBeNull();
        const { coarse_qubit_frequency, anharmonicity, coarse_control_amplitude } = analysis.outputs;
        const { value = 0, error = 0 } = coarse_qubit_frequency ?? {};
        frequencies.push((value - truth.f01) / error);
        if (anharmonicity !== undefined) {
          anharmonicities.push((anharmonicity.value - truth.anharmonicity) / anharmonicity.error);
        }
        const rabi = (coarse_control_amplitude?.value ?? 0) * truth.maximumRabiFrequency;
        expect(rabi).toBeGreaterThan(0.003);
        expect(rabi).toBeLessThan(0.07);
      }
      expectHonestErrors(frequencies);
      expectHonestErrors(anharmonicities);
    });
  },
);

describe('the analysis of a qubit map', () => {
  test('distinguishes a one-photon line from a two-photon line by its broadening', () => {
    const sweep = (name: string) => {
      const { value, valueType } = task.runParameters[name] ?? expect.fail(name);
      const points = sweepPoints({ value, value_type: valueType });
      return points.ok ? points.value : expect.fail(points.problem);
    };
    const [frequencies, powers] = [sweep('frequency_range'), sweep('power_range')];
    const random = randomFrom('one photon');
    const [f01, anharmonicity] = [8.1, -0.31];
    // A fifth of the population is excited, so the transition from the excited state is visible.
    const rows = powers.map((power) => {
      const rabi = 0.12 * 10 ** (power / 20);
      const line = (detuning: number, drive: number) =>
        drive ** 2 / (drive ** 2 + detuning ** 2 + 2.25e-6) / 2;
      const moved = frequencies.map(
        (frequency) =>
          2 * line(frequency - f01, rabi) + 0.6 * line(frequency - f01 - anharmonicity, Math.SQRT2 * rabi),
      );
      return {
        re: moved.map((each) => 1 - 0.3 * each + 0.02 * random.normal()),
        im: moved.map((each) => each + 0.02 * random.normal()),
      };
    });
    const dataset = mapDataset(powers, frequencies, rows);
    const { outputs, figures } = analyse({ task, qid: '0', dataset, inputs: {}, runParameters: {} });
    expect(outputs.anharmonicity?.value).toBeCloseTo(anharmonicity, 2);
    expect(figures[0]?.data.map(({ name }) => name).some((name) => name.startsWith('f12'))).toBe(true);
  });

  test('chooses neither of two lines that are visible down to the same power, and names both', () => {
    const frequencies = Array.from({ length: 200 }, (_, index) => 8 + 0.005 * index);
    const powers = Array.from({ length: 11 }, (_, index) => -55 + 5 * index);
    const random = randomFrom('two lines');
    const rows = powers.map((power) => {
      const squared = (0.12 * 10 ** (power / 20)) ** 2;
      const line = (detuning: number) => squared / (squared + detuning ** 2 + 2.25e-6) / 2;
      const phases = frequencies.map((frequency) => line(frequency - 8.3) + line(frequency - 8.42));
      return {
        re: phases.map((phase) => Math.cos(phase) + 0.02 * random.normal()),
        im: phases.map((phase) => Math.sin(phase) + 0.02 * random.normal()),
      };
    });
    const dataset = mapDataset(powers, frequencies, rows);
    expect(analyse({ task, qid: '0', dataset, inputs: {}, runParameters: {} })).toMatchObject({
      outputs: {},
      refused: expect.stringMatching(
        /^lines at 8\.\d+ GHz and 8\.4\d+ GHz are visible down to about the same power/,
      ),
    });
  });

  /** A map of lines, each with its frequency, GHz, and its Rabi frequency at 0 dB. */
  function mapOf(seed: string, rabiAt: (power: number) => { place: number; rabi: number }[]) {
    const frequencies = Array.from({ length: 500 }, (_, index) => 7 + 0.005 * index);
    const powers = Array.from({ length: 11 }, (_, index) => -55 + 5 * index);
    const random = randomFrom(seed);
    const rows = powers.map((power) => {
      const lines = rabiAt(power);
      const phases = frequencies.map((frequency) =>
        lines.reduce(
          (sum, { place, rabi }) => sum + rabi ** 2 / (rabi ** 2 + (frequency - place) ** 2 + 2.25e-6) / 2,
          0,
        ),
      );
      return {
        re: phases.map((phase) => Math.cos(phase) + 0.02 * random.normal()),
        im: phases.map((phase) => Math.sin(phase) + 0.02 * random.normal()),
      };
    });
    return mapDataset(powers, frequencies, rows);
  }

  test.each([
    ['at a possible frequency of f02/2', 8.55],
    ['within a few steps of the sweep', 8.725],
  ])('names both of two equal one-photon lines, of which one is %s', (_, place) => {
    const dataset = mapOf(`foreign ${place}`, (power) => {
      const rabi = 0.15 * 10 ** (power / 20);
      return [
        { place: 8.702, rabi },
        { place, rabi: 0.8 * rabi },
      ];
    });
    const { outputs, refused } = analyse({ task, qid: '0', dataset, inputs: {}, runParameters: {} });
    expect(outputs).toEqual({});
    // Their visible columns may be up to two steps away.
    expect(refused).toMatch(/8\.(69|70|71)\d GHz/);
    expect(refused).toMatch(place < 8.6 ? /8\.5[456]\d GHz/ : /8\.7[123]\d GHz/);
  });

  test('omits the anharmonicity if no second line is visible', async () => {
    const measured = await measure(task.name, 'weak', { run: { f12_height_min: 500 } });
    const { outputs } = analyse(measured);
    expect(Object.keys(outputs)).not.toContain('anharmonicity');
    expect(gate(task, analyse(measured))).toBeNull();
  });

  test('draws the map twice, marked and raw', async () => {
    const { figures } = analyse(await measure(task.name, 'figures', { qid: '2' }));
    expect(figures.map(({ layout }) => layout.meta?.figure_role)).toEqual(['marked', 'raw']);
    expect(figures.map(({ layout }) => layout.meta?.qdash_figure_role)).toEqual(['marked', 'raw']);
    expect(figures[0]?.layout.title.text).toMatch(
      /^CheckQubitSpectroscopy · qubit 2 · f = [\d.]+ ± [\d.]+ GHz$/,
    );
    expect(figures[1]?.data[0]?.z).toHaveLength(12);
  });

  test('accepts a certain line of a noisy map, whose low r2 is caused by noise', async () => {
    const low: number[] = [];
    for (let index = 0; index < 8; index++) {
      const seed = `few-shots-${index}`;
      const measured = await measure(task.name, seed, { qid: '2', run: { shots: 64 } });
      const analysis = analyse(measured);
      if (analysis.r2 === null || analysis.r2 > 0.7) continue;
      low.push(analysis.r2);
      expect(gate(measured.task, analysis)).toBeNull();
      const { value = 0, error = 0 } = analysis.outputs.coarse_qubit_frequency ?? {};
      const { f01 } = trueQubit(seed, '2', at);
      expect(Math.abs(value - f01)).toBeLessThan(5 * error);
    }
    expect(low.length).toBeGreaterThan(0);
  });

  test('refuses noise, and a readout away from the resonator, with numbers', async () => {
    const noise = { rules: [{ match: {}, behaviour: 'noise' as const }] };
    for (let index = 0; index < 10; index++) {
      const analysis = analyse(await measure(task.name, `noise-${index}`, { faults: noise }));
      expect(analysis.outputs).toEqual({});
      expect(analysis.refused).toMatch(
        /no line of the map exceeds the noise|dB high, less than 14.9 dB|not resolved|fitted/,
      );
      expect(analysis.figures).toHaveLength(2);
    }
    const beside = await measure(task.name, 'beside', { inputs: { readout_frequency: 10.05 } });
    expect(analyse(beside).outputs).toEqual({});
  });

  test('refuses a top power that is not above the sweep', async () => {
    const measured = await measure(task.name, 'top', { run: { top_power: -5 } });
    expect(analyse(measured).refused).toBe(
      'top_power -5 dB must be above the highest power of the sweep, -5 dB',
    );
  });

  test('tries again without the highest power if a setting asks for it', async () => {
    const measured = await measure(task.name, 'trim', {
      run: { f01_height_min: 500, retry_with_trim: 'true' },
    });
    expect(analyse(measured).refused).toMatch(/less than 500 dB$/);
  });
});
