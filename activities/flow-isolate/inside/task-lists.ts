// Task lists of the stages that the session offers by name. A task may occur repeatedly; each occurrence is measured.

export const bringUpTasks = [
  'CheckResonatorSpectroscopy',
  'CheckQubitSpectroscopy',
  'CheckControlAmplitude',
  'CheckChevron',
];

/** CheckRabi is repeated because each run brings the drive closer to the desired Rabi frequency. */
const check = [
  'CheckRabi',
  'CheckRabi',
  'CreateHPIPulse',
  'CheckHPIPulse',
  'CheckRabi',
  'CreateHPIPulse',
  'CheckHPIPulse',
  'CheckT1',
  'CheckT2Echo',
  'CheckRamsey',
];

/**
 * The readout comes first: all later tasks use it, and it needs a drive that excites the qubit. When the DRAG pulses are
 * calibrated, frequency and amplitude get their final correction, which all later tasks use.
 */
const fineTune = [
  'CheckOptimalReadoutFrequency',
  'CheckOptimalReadoutAmplitude',
  'CheckRabi',
  'CreateHPIPulse',
  'CheckHPIPulse',
  'CreatePIPulse',
  'CheckPIPulse',
  'CreateDRAGHPIPulse',
  'CheckDRAGHPIPulse',
  'CreateDRAGPIPulse',
  'CheckDRAGPIPulse',
  'CheckFineFrequency',
  'CheckFineAmplitude',
  'ReadoutClassification',
  'CheckT1Average',
  'CheckT2EchoAverage',
  'Check1QGateCoherenceLimit',
  'RandomizedBenchmarking',
  'X90InterleavedRandomizedBenchmarking',
];

/** Tasks that the fast fine-tuning omits. */
const slow = [
  'CheckFineFrequency',
  'CheckFineAmplitude',
  'CheckT1Average',
  'CheckT2EchoAverage',
  'Check1QGateCoherenceLimit',
];

export const checkTasks = { full: check, fast: ['CheckRabi', 'CreateHPIPulse', 'CheckHPIPulse'] };
export const fineTuneTasks = { full: fineTune, fast: fineTune.filter((task) => !slow.includes(task)) };

export const twoQubitTasks = [
  'CheckCrossResonance',
  'CreateZX90',
  'CheckZX90',
  'CheckBellState',
  'CheckBellStateTomography',
  'Check2QGateCoherenceLimit',
  'ZX90InterleavedRandomizedBenchmarking',
];

/** What keeps one-qubit gates and the readout within specification. Checks and benchmarks find nothing that later tasks use. */
export const maintainedTasks = [
  'CheckRabi',
  'CreateHPIPulse',
  'CheckT1',
  'CheckT2Echo',
  'CheckRamsey',
  'CheckOptimalReadoutFrequency',
  'CheckOptimalReadoutAmplitude',
  'CreatePIPulse',
  'CreateDRAGHPIPulse',
  'CreateDRAGPIPulse',
  'CheckFineFrequency',
  'CheckFineAmplitude',
  'ReadoutClassification',
];
