import { describe, expect, test } from 'vitest';
import { analyse } from '../../../../shared/tasks/analyses.ts';
import { gate } from '../../../../shared/tasks/gates.ts';
import { measure } from '../../../support/measured.ts';

const noise = { rules: [{ match: {}, behaviour: 'noise' as const }] };

describe('CheckWaveform', () => {
  test('shows the capture and has no outputs', async () => {
    const measured = await measure('CheckWaveform', 'captured', { qid: '3' });
    const analysis = analyse(measured);
    expect(gate(measured.task, analysis)).toBeNull();
    expect(analysis.outputs).toEqual({});
    expect(analysis.figures).toHaveLength(measured.task.figures.length);
  });

  test('uses the pulse of its setting', async () => {
    const run = { readout_amplitude: 0.2, readout_duration: 200, readout_pre_margin: 40 };
    const { dataset } = await measure('CheckWaveform', 'captured', { run });
    expect(dataset.dims.time).toBe(Math.ceil((200 + 40 + 128) / 8));
  });

  test('refuses a capture without a pulse', async () => {
    const measured = await measure('CheckWaveform', 'captured', { faults: noise });
    expect(analyse(measured).refused).toMatch(/^no pulse of the capture exceeds the noise: .* a\.u\./);
  });
});
