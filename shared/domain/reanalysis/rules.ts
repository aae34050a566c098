import type { RunParameterOverrides } from '../../tasks/run-parameters.ts';
import type { QubitReanalysis, ResonatorReanalysis } from './model.ts';

/** Maximum bytes of JSON of data that a lab's worker analyses again. The engine takes messages of 2 MB. */
export const SENT_DATA_LIMIT = 1024 * 1024;

/** A spectroscopy that can be analysed again, and the names of its outputs in a preview. */
export interface Reanalysable {
  task: 'CheckResonatorSpectroscopy' | 'CheckQubitSpectroscopy';
  outputs: Readonly<Record<string, string>>;
  /** The value for an output that was not found; without it the output is left out. */
  whenMissing?: number;
}

export const resonatorSpectroscopy: Reanalysable = {
  task: 'CheckResonatorSpectroscopy',
  outputs: { readout_frequency: 'readout_frequency' },
  whenMissing: 0,
};

export const qubitSpectroscopy: Reanalysable = {
  task: 'CheckQubitSpectroscopy',
  outputs: {
    coarse_qubit_frequency: 'qubit_frequency',
    f01_repr_db: 'f01_repr_db',
    f01_quality_level: 'f01_quality_level',
    anharmonicity: 'anharmonicity',
  },
};

/** Maps a request to the task's run parameters; absent ones keep the values of the measurement. */
export function resonatorOverrides({ parameters }: ResonatorReanalysis): RunParameterOverrides {
  const {
    resonator_assignment_order: order,
    resonator_assignment_pattern: pattern,
    ...rest
  } = parameters ?? {};
  return given({ ...rest, resonator_assignment_pattern: order ? order.join(',') : pattern });
}

/** As {@link resonatorOverrides}. */
export function qubitOverrides({ parameters }: QubitReanalysis): RunParameterOverrides {
  const { retry_with_trim: trim, ...rest } = parameters ?? {};
  return given({ ...rest, retry_with_trim: trim == null ? null : String(trim) });
}

function given(fields: object): RunParameterOverrides {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null && value !== undefined),
  );
}
