import { dragAmplitude, pulseSpectrum } from './drag-pulses.ts';
import { staticZz, type TruePair } from './pair-device.ts';

/**
 * Average infidelity that random pi/2 pulses on a neighbour (the control of the pair) add to each pulse on this qubit
 * (the target). The neighbour is excited half of the time and then shifts the qubit by their ZZ. Its drive also leaks
 * to the qubit, and turns it according to the pulse's spectrum at the qubit's frequency.
 */
export function neighbourError(pair: TruePair, lengthNs: number): number {
  const turned = (angle: number) => (2 / 3) * Math.sin(angle / 2) ** 2;
  const shifted = 2 * Math.PI * staticZz(pair) * lengthNs;
  const { control, target, crosstalk } = pair;
  const leaked = Math.PI * crosstalk * dragAmplitude(control, Math.PI / 2, lengthNs) * lengthNs;
  const spectrum = pulseSpectrum(Math.abs(control.f01 - target.f01) * lengthNs);
  return turned(shifted) / 2 + turned(leaked * spectrum);
}
