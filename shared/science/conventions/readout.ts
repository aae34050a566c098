/** Conventions for reading out, for simulating it, and for analysing it. */

/** Readout of a qubit that is not calibrated yet: amplitude of the pulse in parts of full scale, and its length, ns. */
export const DEFAULT_READOUT = { amplitude: 0.2, lengthNs: 384 } as const;
/** Rise and fall of a readout pulse, ns. */
export const READOUT_RAMP_NS = 32;
/** Time from one captured sample to the next, ns. */
export const SAMPLE_NS = 8;
/** Linewidth of a readout resonator that a fit begins with, GHz. */
export const USUAL_KAPPA_GHZ = 0.005;
/** Further line widths that a fit begins with where the usual one leads nowhere, GHz. */
export const OTHER_KAPPAS_GHZ: readonly number[] = [0.0015, 0.015, 0.0005];
/** The generator mixes its bands at these frequencies, GHz: a tone just there comes back scrambled. */
export const SPURS_GHZ: readonly number[] = [6, 6.5, 10, 10.25, 10.5];
/** How near to a spur a tone is disturbed, GHz. */
export const SPUR_WIDTH_GHZ = 0.5e-3;
/** Frequencies of the resonators of a chip, by its band. */
export const RESONATOR_BANDS_GHZ = {
  high: { from: 9.75, to: 10.75 },
  low: { from: 5.75, to: 6.75 },
} as const;
