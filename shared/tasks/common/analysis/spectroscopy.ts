/** A sweep of fewer frequencies, or a map of fewer powers, holds no line that could be told from noise. */
export const FEWEST_FREQUENCIES = 40;
export const FEWEST_POWERS = 3;
