import { Link } from '@tanstack/react-router';
import { ProgressBar } from 'react-aria-components';
import { shownAgo, shownTime } from '../numbers.ts';
import { type Detail, isOver, type Run } from './run-state.ts';

/** When something should end; a moment that has passed is only late. */
function shownIn(time: string): string {
  const ago = shownAgo(time);
  return ago === 'now' || new Date(time).getTime() < Date.now() ? 'soon' : ago;
}

/** How far a run is, what it waits for and when it should end. */
export function RunProgress({
  detail,
  heard,
}: {
  detail: NonNullable<Run['detail']['data']>;
  heard: Run['heard'];
}) {
  if (isOver(detail.status)) return null;
  const { progress } = heard;
  const waiting = heard.waiting ?? detail.waiting;
  const settled = progress ? progress.done + progress.failed + progress.skipped : 0;
  return (
    <div className="progress">
      {progress && progress.total > 0 && (
        <>
          <ProgressBar aria-label="Progress of the stage" value={settled} maxValue={progress.total}>
            {({ percentage = 0 }) => (
              <div className="track">
                <div className="done" style={{ width: `${percentage}%` }} />
              </div>
            )}
          </ProgressBar>
          <p>
            <span className="number">
              {settled} of {progress.total}
            </span>{' '}
            <span className="muted">
              in {progress.stage ?? 'this stage'}
              {progress.failed > 0 && `, ${progress.failed} failed`}
              {progress.estimated_end && (
                <span title={shownTime(progress.estimated_end)}>
                  , ends {shownIn(progress.estimated_end)}
                </span>
              )}
            </span>
          </p>
        </>
      )}
      {waiting && (
        <p className="warning">
          Waiting for <WaitedFor text={waiting} run={detail} />
        </p>
      )}
      {!progress && !waiting && <p className="muted">The run is about to start.</p>}
    </div>
  );
}

/** What a run waits for. A run that uses the chip between its measurements is a link. */
function WaitedFor({ text, run }: { text: string; run: Detail }) {
  const { preempted_by, chip_id } = run;
  const [before, ...after] = preempted_by === null ? [text] : text.split(preempted_by);
  if (preempted_by === null || after.length === 0) return text;
  return (
    <>
      {before}
      <Link to="/execution/$chipId/$executionId" params={{ chipId: chip_id, executionId: preempted_by }}>
        {preempted_by}
      </Link>
      {after.join(preempted_by)}
    </>
  );
}
