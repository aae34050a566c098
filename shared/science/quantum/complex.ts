/** A complex number. */
export interface Complex {
  re: number;
  im: number;
}

/** The product of two complex numbers. */
export function times(a: Complex, b: Complex): Complex {
  return { re: a.re * b.re - a.im * b.im, im: a.re * b.im + a.im * b.re };
}
