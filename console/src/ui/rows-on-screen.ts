/** Rows that are drawn above and below the screen, so that scrolling shows no gaps. */
export const BEYOND = 20;

export interface Rows {
  from: number;
  /** The first one after the last that is drawn. */
  to: number;
}

/**
 * The rows to draw at a scroll position. They change in steps, so that most scrolling draws nothing.
 * @param top where the first row is, in pixels below the upper edge of the screen
 */
export function rowsOnScreen({
  top,
  screen,
  count,
  height,
}: {
  top: number;
  screen: number;
  count: number;
  height: number;
}): Rows {
  const first = Math.floor(-top / height / BEYOND) * BEYOND - BEYOND;
  const last = first + (Math.ceil(screen / height / BEYOND) + 3) * BEYOND;
  const within = (row: number) => Math.min(count, Math.max(0, row));
  return { from: within(first), to: within(last) };
}
