import { type RefObject, useLayoutEffect, useState } from 'react';
import { BEYOND, type Rows, rowsOnScreen } from './rows-on-screen.ts';

/**
 * The rows of a long table that are on the screen, so that no others need to be drawn.
 * @param place the element that contains the rows and nothing else
 * @param height of each row in pixels
 */
export function useVisibleRows(place: RefObject<HTMLElement | null>, count: number, height: number): Rows {
  const [rows, setRows] = useState<Rows>({ from: 0, to: Math.min(count, 4 * BEYOND) });
  useLayoutEffect(() => {
    const look = () => {
      if (!place.current) return;
      const { top } = place.current.getBoundingClientRect();
      const found = rowsOnScreen({ top, screen: innerHeight, count, height });
      setRows((before) => (before.from === found.from && before.to === found.to ? before : found));
    };
    look();
    // Captured, because scroll events of an element do not bubble to the window.
    const options = { capture: true, passive: true };
    addEventListener('scroll', look, options);
    addEventListener('resize', look);
    return () => {
      removeEventListener('scroll', look, options);
      removeEventListener('resize', look);
    };
  }, [place, count, height]);
  return rows;
}
