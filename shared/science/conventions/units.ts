/** Factors between the units of frequencies and times. */
export const MHZ_PER_GHZ = 1000;
export const KHZ_PER_GHZ = 1e6;
export const NS_PER_US = 1000;
/** Smaller units of frequency, in GHz. */
export const GHZ = { kHz: 1e-6, MHz: 1e-3 } as const;
