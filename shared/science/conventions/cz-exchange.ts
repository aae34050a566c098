/** The exchange of excitations between two qubits during a flux pulse. */

/** The detuning is roughly proportional to the square of the flux, which makes the curvature one half. */
export const USUAL_CURVATURE = 0.5;

function detuningAt(amplitude: number, centre: number, slope: number, curvature: number): number {
  const away = amplitude - centre;
  return slope * away * (1 + (curvature * away) / centre);
}

/**
 * Population of the lower qubit while |11> goes to the state with two excitations in the higher qubit.
 * @param parameters in the order of the fit: centre, splitting (GHz), slope (GHz per amplitude), ramp (ns), largest
 * population, the fraction of it that is exchanged, rates of dephasing and relaxation (per ns), curvature
 * @param time length of the pulse, ns
 */
export function czPopulation(parameters: readonly number[], amplitude: number, time: number): number {
  const [
    centre = 1,
    splitting = 0,
    slope = 0,
    ramp = 0,
    largest = 1,
    part = 1,
    dephasing = 0,
    relaxation = 0,
    curvature = USUAL_CURVATURE,
  ] = parameters;
  const held = Math.max(0, time - ramp);
  const rabi = Math.hypot(splitting, detuningAt(amplitude, centre, slope, curvature));
  const gone =
    (splitting / rabi) ** 2 * 0.5 * (1 - Math.exp(-dephasing * held) * Math.cos(2 * Math.PI * rabi * held));
  return largest * Math.exp(-relaxation * time) * (1 - part * gone);
}
