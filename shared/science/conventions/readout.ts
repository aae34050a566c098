/** Conventions for readout, its simulation and its analysis. */

/** Readout of an uncalibrated qubit: amplitude of the pulse as a fraction of full scale, and its length, ns. */
export const DEFAULT_READOUT = { amplitude: 0.2, lengthNs: 384 } as const;
/** Rise and fall of a readout pulse, ns. */
export const READOUT_RAMP_NS = 32;
/** Time from one captured sample to the next, ns. */
export const SAMPLE_NS = 8;
/** Start value for the line width of a readout resonator in a fit, GHz. */
export const USUAL_KAPPA_GHZ = 0.005;
/** Further start values for the line width, used if the first one does not lead to a fit, GHz. */
export const OTHER_KAPPAS_GHZ: readonly number[] = [0.0015, 0.015, 0.0005];
/** Frequencies at which the generator mixes its bands (spurs), GHz. A tone at such a frequency comes back scrambled. */
export const SPURS_GHZ: readonly number[] = [6, 6.5, 10, 10.25, 10.5];
/** Maximum distance from a spur at which a tone is disturbed, GHz. */
export const SPUR_WIDTH_GHZ = 0.5e-3;
/** Range of the resonator frequencies of a chip, for each band. */
export const RESONATOR_BANDS_GHZ = {
  high: { from: 9.75, to: 10.75 },
  low: { from: 5.75, to: 6.75 },
} as const;
