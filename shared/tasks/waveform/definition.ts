import { qubitTask } from '../common/definition/bases.ts';
import { amplitudeLimits, timeLimits } from '../common/definition/limits.ts';
import { shotsAndInterval } from '../common/definition/settings.ts';
import { CW_CATEGORY } from '../common/definition/spectroscopy.ts';
import { type Bounds, defineTask, type TaskRunParameter } from '../model.ts';

function deviceDefault(
  unit: TaskRunParameter['unit'],
  bounds: Bounds,
  description: string,
): TaskRunParameter {
  return {
    value: null,
    valueType: 'float',
    unit,
    description: `${description}; empty uses that of the device`,
    bounds,
  };
}

export const checkWaveform = defineTask({
  ...qubitTask,
  name: 'CheckWaveform',
  category: CW_CATEGORY,
  description: 'Captures the reflected readout pulse.',
  inputs: {},
  runParameters: {
    ...shotsAndInterval(2048),
    readout_amplitude: deviceDefault('a.u.', amplitudeLimits, 'Amplitude of the pulse'),
    readout_duration: deviceDefault('ns', timeLimits, 'Length of the pulse'),
    readout_pre_margin: deviceDefault('ns', timeLimits, 'Capture before the pulse'),
    readout_post_margin: deviceDefault('ns', timeLimits, 'Capture after the pulse'),
  },
  outputs: {},
  figures: [{ description: 'Captured waveform against time' }],
  r2Threshold: null,
});
