import { Link } from '@tanstack/react-router';
import type { Metric } from '../api.ts';
import { scaleGradient, states, type TaskState } from '../colours.ts';
import { shownNumber } from '../numbers.ts';
import { type Scale, shortAge } from './marks.ts';

/** What the colours of a metric mean: name, unit, range and how many values there are. */
export function Legend({ scale, metric }: { scale: Scale; metric: Metric }) {
  if (scale.counted === 0) {
    return (
      <p className="muted">
        {metric.title} is not known of any target yet. <Link to="/start">Start a run</Link> that measures it,
        or choose another metric. A new chip begins with the template Bring-up.
      </p>
    );
  }
  const isAge = scale.kind === 'age';
  const [low, high] = isAge
    ? [shortAge(scale.high), 'now']
    : [shownNumber(scale.low).value, shownNumber(scale.high).value];
  return (
    <div className="legend" title={metric.description}>
      <span>
        {isAge ? `Age of ${metric.title}` : metric.title}
        {!isAge && metric.unit !== '' && <span className="muted"> in {metric.unit}</span>}
      </span>
      <span className="number">{low}</span>
      <span className="ramp" style={{ background: scaleGradient }} aria-hidden="true" />
      <span className="number">{high}</span>
      <span className="muted">
        {scale.counted} known{scale.missing > 0 && `, ${scale.missing} not`}
      </span>
    </div>
  );
}

const SHOWN: readonly TaskState[] = ['waiting', 'measuring', 'passed', 'failed', 'skipped'];

/** What the colours and signs of states mean. */
export function StateLegend() {
  return (
    <ul className="legend states">
      {SHOWN.map((state) => (
        <li key={state}>
          <span className={`dot ${state}`} aria-hidden="true">
            {states[state].sign}
          </span>
          {states[state].title}
        </li>
      ))}
    </ul>
  );
}
