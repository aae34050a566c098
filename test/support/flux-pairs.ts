import { perfectFluxPulse } from '../../scripts/bench/honesty/truths/flux.ts';
import { trueQubit } from '../../shared/science/device/device.ts';
import { type TruePair, truePair } from '../../shared/science/device/pair-device.ts';
import { at } from './measured.ts';
import { calibratedPair, type KnownPair, pairs } from './pairs.ts';

/** A pair of a chip that declares flux lines, with both qubits calibrated, and what is hidden of it. */
export interface FluxPair {
  seed: string;
  qid: string;
  known: KnownPair;
  pair: TruePair;
  /** Amplitude of the resonance, and the pulse after which |11> is back (ns). */
  amplitude: number;
  gateTime: number;
}

/** The pair of a number: each has a device of its own. */
export function fluxPair(index: number): FluxPair {
  const seed = `flux-${index}`;
  const [control = '0', target = '1'] = pairs[index % pairs.length] ?? [];
  const of = (qid: string) => trueQubit(seed, qid, at);
  const pair = truePair(seed, { control, target }, of(control), of(target));
  const known = calibratedPair(seed, control, target);
  const { amplitude, lengthNs } = perfectFluxPulse(pair);
  return {
    ...{ seed, qid: `${control}-${target}`, pair, amplitude },
    known: { ...known, coupling: { flux_pulse_limit: { value: 0.6, error: 0 } } },
    gateTime: lengthNs,
  };
}
