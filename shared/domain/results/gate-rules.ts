import { isWithin } from '../../tasks/bounds.ts';
import type { Bounds } from '../../tasks/model.ts';
import type { GateResult } from './model.ts';

type Judged = { parameter_name: string; value: unknown; unit: string };

/** The results of a task's output rules for one value. Rules that do not apply are left out. */
export function gateResults(
  { parameter_name, value, unit }: Judged,
  definition: {
    r2Threshold: number | null;
    outputs: Readonly<Record<string, { bounds?: Bounds | undefined }>>;
  },
  r2: number | null,
): GateResult[] {
  if (typeof value !== 'number') return [];
  const shown = `${numberText(value)} ${unit}`.trim();
  const bounds = definition.outputs[parameter_name]?.bounds;
  const { r2Threshold } = definition;
  return [
    { rule: 'finite', passed: Number.isFinite(value), detail: `${shown} is a finite number.` },
    ...(parameter_name.includes('fidelity')
      ? [
          {
            rule: 'fidelity' as const,
            passed: value >= 0 && value <= 1,
            detail: `${shown}: a fidelity lies in 0 to 1.`,
          },
        ]
      : []),
    ...(r2Threshold !== null && r2 !== null
      ? [
          {
            rule: 'r2' as const,
            passed: r2 > r2Threshold,
            detail: `r2 of the fit is ${r2Text(r2, r2Threshold)}; it must be above ${r2Threshold}.`,
          },
        ]
      : []),
    ...(bounds ? [boundsResult(value, shown, bounds)] : []),
  ];
}

/** Significant digits; no value is known more precisely. */
function numberText(value: number): string {
  return String(Number(value.toPrecision(6)));
}

/** Gets more digits if rounding would make the value equal to its threshold. */
function r2Text(r2: number, threshold: number): string {
  const short = Number(r2.toPrecision(4));
  return String(short === threshold ? r2 : short);
}

function boundsResult(value: number, shown: string, bounds: Bounds): GateResult {
  const { minimum, maximum, exclusiveMinimum } = bounds;
  const rules = [
    ...(minimum === undefined ? [] : [`${exclusiveMinimum ? 'above' : 'at least'} ${minimum}`]),
    ...(maximum === undefined ? [] : [`at most ${maximum}`]),
  ];
  return {
    rule: 'bounds',
    passed: isWithin(value, bounds),
    detail: `${shown}; it must be ${rules.join(' and ')}.`,
  };
}
