import type { TrueQubit } from '../../../shared/science/device/device.ts';
import type { Random } from '../../../shared/science/device/random.ts';
import { logBetween } from './draws.ts';
import { foreignLines } from './foreign-lines.ts';
import type { Listed, MeasureOnce, QubitKind, Trial } from './model.ts';
import {
  countShots,
  digitise,
  exchangeStates,
  otherUnits,
  reorderStates,
  reverseAxis,
  sendOneAxis,
  turnPlane,
} from './sent-data.ts';
import { sendFile } from './sent-files.ts';
import { device } from './truths/device.ts';
import { fineAmplitude, plainRotation } from './truths/pulses.ts';
import { classification } from './truths/single-shots.ts';

/** Tasks with averaged signals of two states. */
const averaged = [
  { task: 'CheckT1', truths: device.t1 },
  { task: 'CheckT2Echo', truths: device.t2Echo },
  { task: 'CheckRamsey', truths: device.ramsey },
  { task: 'CheckHPIPulse', truths: plainRotation('hpi') },
  { task: 'CheckFineAmplitude', truths: fineAmplitude },
] as const;
const singleShots = [{ task: 'ReadoutClassification', truths: classification }] as const;

/** Factor on the shots for a simulation without noise of its own. */
const NEARLY_NO_NOISE = 1e8;

/** The same kind for several tasks, in one row of the table. */
function family(
  text: string,
  tasks: readonly Pick<QubitKind, 'task' | 'truths'>[],
  changes: Partial<QubitKind>,
): Listed[] {
  return tasks.map(({ task, truths }) => ({
    ...changes,
    task,
    truths,
    family: text,
    name: `${task}, ${text}`,
  }));
}

const counted: Partial<QubitKind> = {
  run: (random) => ({ shots: { value: Math.round(logBetween(random, 8, 10_000)), value_type: 'int' } }),
  measure(once: MeasureOnce, { run, random }: Trial) {
    const dataset = once({ shotsPart: NEARLY_NO_NOISE });
    countShots(dataset, Number(run.shots?.value), random);
    return dataset;
  },
};

/** Span of the sweep of undercoupled lines, GHz. */
const SPAN = 0.01;

/** A line whose losses are a tenth to ten times its leakage, with a sweep over 3 to 50 line widths. */
function undercoupled(qubit: TrueQubit, random: Random): TrueQubit {
  const kappa = SPAN / logBetween(random, 3, 50);
  const ratio = logBetween(random, 0.1, 10);
  const kappaExternal = (kappa * ratio) / (1 + ratio);
  const shift = (random.uniform() < 0.5 ? -1 : 1) * kappa * random.between(0.3, 1);
  return {
    ...qubit,
    kappa,
    kappaExternal,
    kappaInternal: kappa - kappaExternal,
    resonatorExcited: qubit.resonatorGround + shift,
    readoutFrequency: qubit.resonatorGround + shift / 2,
    lineDelayNs: random.between(-400, 400),
  };
}

/** Data in the forms that labs send. Each kind draws its changes for every measurement. */
export const labs: readonly Listed[] = [
  ...family('counts of 8 to 10,000 shots', averaged, counted),
  ...family('a digitiser of 50 to 10,000 steps', averaged, { spoil: digitise }),
  ...family('signals on one axis', [...averaged, ...singleShots], { spoil: sendOneAxis }),
  ...family('a plane that is turned, mirrored and scaled', [...averaged, ...singleShots], {
    spoil: turnPlane,
  }),
  ...family(
    'an echo that ends in the other state',
    averaged.filter(({ task }) => task === 'CheckT2Echo'),
    {
      spoil: exchangeStates,
    },
  ),
  ...family('prepared states in the other order', averaged, { spoil: reorderStates }),
  ...family('an axis that falls', averaged, { spoil: reverseAxis }),
  ...family(
    'units stated beside the values',
    [...averaged, { task: 'CheckDispersiveShift', truths: device.shift }],
    {
      spoil: otherUnits,
    },
  ),
  ...family('files as xarray encodes them', [...averaged, ...singleShots], { send: sendFile }),
  ...family(
    'lines with delays of -400 to 400 ns',
    [
      { task: 'CheckReflectionCoefficient', truths: device.reflection },
      { task: 'CheckDispersiveShift', truths: device.shift },
      { task: 'CheckElectricalDelay', truths: device.delay },
    ],
    {
      device: (qubit, random) => ({
        ...qubit,
        lineDelayNs: random.between(-400, 400),
        linePhase: random.between(-Math.PI, Math.PI),
      }),
    },
  ),
  ...family(
    'resonators that lose 0.1 to 10 times what they leak',
    [{ task: 'CheckDispersiveShift', truths: device.shift }],
    {
      run: { detuning_range: { value: [-SPAN / 2, SPAN / 2, 100], value_type: 'np.linspace' } },
      device: undercoupled,
    },
  ),
  ...foreignLines,
];
