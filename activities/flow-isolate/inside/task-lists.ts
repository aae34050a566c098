// The task lists of the stages that the session offers by name. A list may name a task again: each is a measurement of its own.

export const bringUpTasks = [
  'CheckResonatorSpectroscopy',
  'CheckQubitSpectroscopy',
  'CheckControlAmplitude',
  'CheckChevron',
];

/** CheckRabi comes again because each one brings the drive closer to the wanted Rabi frequency. */
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
 * The readout comes first: all that follows is read with it, and it needs a drive that excites. Once there are DRAG
 * pulses, the last part of frequency and amplitude is corrected, and all that follows is measured with that.
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

/** What the fast fine-tuning leaves out. */
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
