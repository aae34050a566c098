import type { Dataset } from '../../../shared/science/datasets/model.ts';
import type { TrueQubit } from '../../../shared/science/device/device.ts';
import type { Random } from '../../../shared/science/device/random.ts';
import type { Listed, MeasureOnce, QubitKind, Trial } from './model.ts';
import { device } from './truths/device.ts';

/** Range of the distance of a foreign line from that of the qubit, on either side, GHz. */
function distance(random: Random): number {
  return (random.uniform() < 0.5 ? -1 : 1) * random.between(0.02, 0.3);
}

/** A measurement to which another qubit's line is added: the difference of that qubit's signal from its usual value. */
function withForeignLine(move: (qubit: TrueQubit, by: number) => TrueQubit): Pick<QubitKind, 'measure'> {
  return {
    measure(once: MeasureOnce, { qubit, random }: Trial): Dataset {
      const own = once();
      const other = once({ qubit: move(qubit, distance(random)) });
      for (const name of ['iq_re', 'iq_im']) {
        const [variable, added] = [own.variables[name], other.variables[name]];
        if (variable === undefined || added === undefined) continue;
        const usual = median(added.values);
        variable.values = variable.values.map((value, index) =>
          value === null ? null : value + (added.values[index] ?? usual) - usual,
        );
      }
      return own;
    },
  };
}

function median(values: readonly (number | null)[]): number {
  const known = values.flatMap((value) => value ?? []).sort((a, b) => a - b);
  return known[Math.floor(known.length / 2)] ?? 0;
}

const withGroundReadout: Pick<QubitKind, 'changeStored'> = {
  changeStored: (stored, { qubit }) => ({ ...stored, readout_frequency: qubit.resonatorGround }),
};

/** Searches with another line of equal strength. A result that names both lines and chooses neither is correct. */
export const foreignLines: readonly Listed[] = [
  {
    name: 'CheckQubitFrequencies, an equal foreign line',
    task: 'CheckQubitFrequencies',
    truths: device.coarseFrequency,
    ...withGroundReadout,
    ...withForeignLine((qubit, by) => ({ ...qubit, f01: qubit.f01 + by })),
  },
  {
    name: 'CheckQubitSpectroscopy, an equal foreign line',
    task: 'CheckQubitSpectroscopy',
    truths: device.spectroscopy,
    ...withForeignLine((qubit, by) => ({ ...qubit, f01: qubit.f01 + by })),
  },
  {
    name: 'CheckEFSpectroscopy, an equal foreign line',
    task: 'CheckEFSpectroscopy',
    truths: device.secondTransition,
    ...withForeignLine((qubit, by) => ({ ...qubit, anharmonicity: qubit.anharmonicity + by / 3 })),
  },
  ...['CheckChevron', 'CheckCoarseChevron', 'CheckFineChevron'].map((task) => ({
    name: `${task}, an equal foreign line`,
    task,
    truths: device.chevron,
    // The signals cannot simply be added, because the search itself must see both lines.
    device: (qubit: TrueQubit, random: Random): TrueQubit => ({
      ...qubit,
      foreignLine: { f01: qubit.f01 + distance(random) / 8, share: 1 },
    }),
  })),
  ...['CheckChevron', 'CheckCoarseChevron', 'CheckFineChevron', 'CheckQubitFrequency'].map((task) => ({
    name: `${task}, a weak foreign line within 8 MHz`,
    task,
    truths: task === 'CheckQubitFrequency' ? device.frequency : device.chevron,
    device: (qubit: TrueQubit, random: Random): TrueQubit => ({
      ...qubit,
      foreignLine: {
        f01: qubit.f01 + (random.uniform() < 0.5 ? -1 : 1) * random.between(0.001, 0.008),
        share: random.between(0.15, 1),
      },
    }),
  })),
  {
    name: 'CheckQubitFrequencies, driven so hard that two photons show a line',
    task: 'CheckQubitFrequencies',
    truths: device.coarseFrequency,
    device: (qubit, random) => ({
      ...qubit,
      maximumRabiFrequency: qubit.maximumRabiFrequency * random.between(2, 12),
    }),
    ...withGroundReadout,
  },
];
