declare module 'plotly.js-cartesian-dist-min' {
  interface Figure {
    data: readonly object[];
    layout: object;
  }
  export function react(
    element: HTMLElement,
    data: readonly object[],
    layout: object,
    config: object,
  ): Promise<HTMLElement>;
  export function purge(element: HTMLElement): void;
  export type { Figure };

  const plotly: { react: typeof react; purge: typeof purge };
  export default plotly;
}
