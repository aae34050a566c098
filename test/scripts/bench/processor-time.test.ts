import { expect, test } from 'vitest';
import { processorTimes } from '../../../scripts/bench/processor-time.ts';

test.runIf(process.platform === 'linux')(
  'an engine that a benchmark did not start is left out of the processor times',
  async () => {
    const { result, used } = await processorTimes({ own: process.pid, store: 0 }, async () => 'done');
    expect(result).toBe('done');
    expect(Object.keys(used)).toEqual(['own']);
  },
);
