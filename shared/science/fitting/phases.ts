import type { ComplexSweep } from '../datasets/rules.ts';

/** The points of a sweep by rising x. */
export function inOrder(sweep: ComplexSweep): ComplexSweep {
  const order = sweep.x.map((_, index) => index).sort((a, b) => (sweep.x[a] ?? 0) - (sweep.x[b] ?? 0));
  const sorted = (values: readonly number[]) => order.map((index) => values[index] ?? Number.NaN);
  return { x: sorted(sweep.x), re: sorted(sweep.re), im: sorted(sweep.im) };
}

/** An angle reduced by whole turns to the value nearest to 0. */
export function wrapped(angle: number): number {
  return Math.atan2(Math.sin(angle), Math.cos(angle));
}

/** Unwraps phases, in rad: no step from point to point is larger than half a turn. */
export function unwrappedPhases({ re, im }: Pick<ComplexSweep, 're' | 'im'>): number[] {
  let last = 0;
  return re.map((value, index) => {
    const phase = Math.atan2(im[index] ?? 0, value);
    last = index === 0 ? phase : last + wrapped(phase - last);
    return last;
  });
}
