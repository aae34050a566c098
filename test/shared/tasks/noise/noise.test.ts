import { describe, expect, test } from 'vitest';
import { analyse } from '../../../../shared/tasks/analyses.ts';
import { gate } from '../../../../shared/tasks/gates.ts';
import { measure } from '../../../support/measured.ts';

describe('CheckNoise', () => {
  test('shows the capture and has no outputs', async () => {
    const measured = await measure('CheckNoise', 'captured', { qid: '3' });
    const analysis = analyse(measured);
    expect(gate(measured.task, analysis)).toBeNull();
    expect(analysis.outputs).toEqual({});
    expect(analysis.figures).toHaveLength(measured.task.figures.length);
  });
});
