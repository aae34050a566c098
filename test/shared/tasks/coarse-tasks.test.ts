import { describe, expect, test } from 'vitest';
import { createSimulator } from '../../../activities/backends/simulator/simulator.ts';
import { figure } from '../../../shared/science/figures/model.ts';
import { analyse } from '../../../shared/tasks/analyses.ts';
import { findTask } from '../../../shared/tasks/catalog.ts';
import { gate } from '../../../shared/tasks/gates.ts';
import { at, measure, taskOf } from '../../support/measured.ts';

const noise = { rules: [{ match: {}, behaviour: 'noise' as const }] };

/** Start values, and those that only a bring-up or an earlier task would have left. */
function inputsOf(seed: string, qid: string): Record<string, number> {
  const start = createSimulator({ seed, now: () => at }).startValues('chip', qid, at);
  const known = Object.fromEntries(Object.entries(start).map(([name, { value }]) => [name, value]));
  return {
    ...known,
    coarse_qubit_frequency: (known.qubit_frequency ?? 0) + 1e-3,
    coarse_control_amplitude: 0.8 * (known.control_amplitude ?? 0),
    pi_amplitude: 2 * (known.hpi_amplitude ?? 0),
    pi_length: known.hpi_length ?? 0,
  };
}

const tasks: [name: string, figures: number, title: RegExp][] = [
  ['CheckChevron', 3, /f01 = [\d.]+ ± [\d.]+ GHz$/],
  ['CheckCoarseChevron', 2, /f01 = [\d.]+ ± [\d.]+ GHz$/],
  ['CheckFineChevron', 2, /f01 = [\d.]+ ± [\d.]+ GHz$/],
  ['CheckQubit', 1, /f = [\d.]+ ± [\d.]+ MHz$/],
  ['CheckQubitFrequency', 1, /f01 = [\d.]+ ± [\d.]+ GHz$/],
  ['CheckReadoutFrequency', 1, /best at [\d.]+ ± [\d.]+ GHz$/],
  ['CheckDispersiveShift', 1, /χ = -[\d.]+ ± [\d.]+ MHz$/],
  ['CheckOptimalReadoutFrequency', 1, /best at [\d.]+ ± [\d.]+ GHz$/],
  ['CheckOptimalReadoutAmplitude', 3, /[\d.]+ ± [\d.]+ a\.u\.$/],
  ['CreateHPIPulse', 1, /hpi amplitude [\d.]+ ± [\d.]+ a\.u\.$/],
  ['CheckHPIPulse', 1, /rotation error -?[\d.]+ ± [\d.]+ %$/],
  ['CreatePIPulse', 1, /pi amplitude [\d.]+ ± [\d.]+ a\.u\.$/],
  ['CheckPIPulse', 1, /rotation error (below )?[\d.]+( ± [\d.]+)? %( in size)?$/],
  ['CheckRamsey', 3, /fringe -?[\d.]+ ± [\d.]+ MHz$/],
  ['CheckT1Average', 11, /T1 = [\d.]+ ± [\d.]+ us, std [\d.]+ us$/],
  ['CheckT2Echo', 1, /T2 echo = [\d.]+ ± [\d.]+ us$/],
  ['CheckT2EchoAverage', 11, /T2 echo = [\d.]+ ± [\d.]+ us, std [\d.]+ us$/],
];

describe.each(tasks)('%s', (name, figures, title) => {
  test('finds what the catalog promises and draws it with task, qubit, value and units', async () => {
    const measured = await measure(name, 'found', { qid: '5', inputs: inputsOf('found', '5') });
    const analysis = analyse(measured);
    expect(analysis.refused).toBeUndefined();
    expect(gate(measured.task, analysis)).toBeNull();
    expect(Object.keys(analysis.outputs).sort()).toEqual(Object.keys(measured.task.outputs).sort());
    expect(analysis.figures).toHaveLength(figures);
    for (const drawn of analysis.figures) {
      expect(figure.parse(drawn)).toEqual(drawn);
      expect(drawn.layout.title.text).toMatch(new RegExp(`^${name}.* · qubit 5 · `));
    }
    expect(analysis.figures[0]?.layout.title.text).toMatch(title);
    const roles = analysis.figures.map(({ layout }) => layout.meta?.figure_role);
    const listed = measured.task.figures.map(({ role }) => role);
    if (listed.some((role) => role !== undefined)) expect(roles.slice(0, listed.length)).toEqual(listed);
  });

  test('fails on pure noise with a sentence', async () => {
    for (let index = 0; index < 8; index++) {
      const inputs = inputsOf(`noise-${index}`, '0');
      const measured = await measure(name, `noise-${index}`, { inputs, faults: noise });
      const failure = gate(measured.task, analyse(measured));
      expect(failure?.message).toMatch(/^The fit of \w+ (is not good enough: r2|was refused: ).*\.$/);
    }
  });

  test('refuses what is not data, without throwing', () => {
    const task = taskOf(name);
    const empty = { dims: {}, coordinates: {}, variables: {} };
    const analysis = analyse({ task, qid: '0', dataset: empty, inputs: {}, runParameters: {} });
    expect(analysis).toMatchObject({ outputs: {}, refused: expect.stringMatching(/\w/) });
  });
});

describe('wrong values from upstream', () => {
  const fails = async (name: string, changes: (inputs: Record<string, number>) => Record<string, number>) => {
    const inputs = inputsOf('wrong', '2');
    const measured = await measure(name, 'wrong', { qid: '2', inputs: { ...inputs, ...changes(inputs) } });
    const analysis = analyse(measured);
    const failure = gate(measured.task, analysis);
    expect(failure).not.toBeNull();
    return failure?.message ?? '';
  };

  test('fail the checks of a pulse that turns by 5 % too much, or by twice the angle', async () => {
    for (const factor of [1.05, 0.95, 2]) {
      for (const pulse of ['hpi', 'pi']) {
        const amplitude = `${pulse}_amplitude`;
        const message = await fails(`Check${pulse.toUpperCase()}Pulse`, (inputs) => ({
          [amplitude]: factor * (inputs[amplitude] ?? 0),
        }));
        expect(message).toMatch(/is not good enough: r2|was refused/);
      }
    }
  });

  test('fail the creation of a pulse whose control amplitude is off by a factor of two', async () => {
    for (const factor of [0.5, 2]) {
      const message = await fails('CreateHPIPulse', ({ control_amplitude = 0 }) => ({
        control_amplitude: Math.min(1, factor * control_amplitude),
      }));
      expect(message).toMatch(/was refused/);
    }
  });

  test('fail Ramsey, echo and chevrons far from the qubit, saying why', async () => {
    await fails('CheckRamsey', ({ qubit_frequency = 0 }) => ({ qubit_frequency: qubit_frequency + 0.2 }));
    await fails('CheckT2Echo', ({ qubit_frequency = 0 }) => ({ qubit_frequency: qubit_frequency + 0.2 }));
    await fails('CheckFineChevron', ({ qubit_frequency = 0 }) => ({
      qubit_frequency: qubit_frequency + 0.2,
    }));
    await fails('CheckQubitFrequency', ({ qubit_frequency = 0 }) => ({
      qubit_frequency: qubit_frequency + 0.2,
    }));
  });

  test('fail the search for a readout frequency that is not in its range', async () => {
    for (const name of ['CheckReadoutFrequency', 'CheckOptimalReadoutFrequency', 'CheckDispersiveShift']) {
      await fails(name, ({ readout_frequency = 0 }) => ({ readout_frequency: readout_frequency + 0.3 }));
    }
  });
});

describe('single promises', () => {
  test('ChevronPattern is another name of CheckFineChevron', () => {
    expect(findTask('ChevronPattern')).toBe(findTask('CheckFineChevron'));
  });

  test('Ramsey tells the side on which the drive lies, and its value is the same from both', async () => {
    const { qubit_frequency: believed = 0, ...inputs } = inputsOf('side', '1');
    const found = await Promise.all(
      [-2e-3, 0, 2e-3].map(async (offset) => {
        const given = { ...inputs, qubit_frequency: believed + offset };
        return analyse(await measure('CheckRamsey', 'side', { qid: '1', inputs: given })).outputs;
      }),
    );
    const signs = found.map(({ ramsey_frequency }) => Math.sign(ramsey_frequency?.value ?? 0));
    expect(signs).toEqual([-1, 1, 1]);
    const { f01 } = createSimulator({ seed: 'side' }).truth('chip', '1', at);
    for (const { qubit_frequency } of found) {
      expect(Math.abs((qubit_frequency?.value ?? 0) - f01)).toBeLessThan(5 * (qubit_frequency?.error ?? 0));
    }
  });

  test('CheckChevron replaces a coarse control amplitude that cannot be used', async () => {
    for (const coarse of [0, 1e-5, 3]) {
      const inputs = { ...inputsOf('usable', '4'), coarse_control_amplitude: coarse };
      const measured = await measure('CheckChevron', 'usable', { qid: '4', inputs });
      expect(gate(measured.task, analyse(measured))).toBeNull();
    }
  });

  test('an average goes on without a run that was not measured, and tells when too few are left', async () => {
    const measured = await measure('CheckT1Average', 'runs', { inputs: inputsOf('runs', '0') });
    const { iq_re } = measured.dataset.variables;
    const loseRuns = (count: number) => iq_re?.values.fill(null, 0, count * 51);
    loseRuns(1);
    const analysis = analyse(measured);
    expect(gate(measured.task, analysis)).toBeNull();
    loseRuns(6);
    expect(analyse(measured).refused).toMatch(/^4 of 10 runs give a decay where 5 are needed: /);
  });
});
