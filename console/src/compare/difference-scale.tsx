import type { Mark } from '../chip/lattice.tsx';
import { differenceColour, differenceGradient } from '../colours.ts';
import type { Change } from './changes.ts';
import { shownStandardErrors } from './standard-errors.ts';

/** Standard errors at which the colours end: far beyond what chance explains. */
const END = 5;

/** How the targets look whose value of a parameter changed. */
export function changeMarks(changes: readonly Change[], parameter: string | undefined): Map<string, Mark> {
  return new Map(
    changes
      .filter((each) => each.parameter === parameter)
      .map((each) => [each.target, markOf(each)] as const),
  );
}

function markOf({ title, before, after, standardErrors }: Change): Mark {
  if (standardErrors === null) {
    const spoken =
      before === null ? `${title} is new` : after === null ? `${title} is gone` : `${title} changed`;
    return { fill: 'var(--unknown)', ink: 'var(--ink)', text: '?', spoken };
  }
  const place = Math.max(-1, Math.min(1, standardErrors / END));
  return {
    fill: differenceColour(place),
    ink: Math.abs(place) > 0.55 ? '#ffffff' : '#101418',
    text: shownStandardErrors(standardErrors),
    spoken: `${title} changed by ${shownStandardErrors(standardErrors)} standard errors`,
  };
}

export function DifferenceLegend() {
  return (
    <div className="legend">
      <span>Difference in standard errors</span>
      <span className="number">−{END}</span>
      <span className="ramp" style={{ background: differenceGradient }} aria-hidden="true" />
      <span className="number">+{END}</span>
      <span className="muted">? has no error, or is on one side only</span>
    </div>
  );
}
