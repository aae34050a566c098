import type { Screen } from '../start/screen.ts';
import { progressLines, progressText, type RunSnapshot, type StageProgress } from './progress.ts';

/** Minimum interval in ms between plain lines, except at the end of a stage. */
const PLAIN_LINE_MS = 1_000;

/**
 * Shows a run's snapshots as they arrive: redrawn in place on a terminal, otherwise as a line for each change.
 * Finally shows the run's message.
 */
export async function showProgress(
  screen: Screen,
  snapshots: AsyncIterable<RunSnapshot>,
  now: () => Date = () => new Date(),
): Promise<void> {
  const plain = createPlainLines(screen.line);
  let last: RunSnapshot | undefined;
  for await (const snapshot of snapshots) {
    last = snapshot;
    if (screen.redraws) screen.live(progressLines(snapshot, now()));
    else plain(snapshot, now());
  }
  screen.settle();
  if (last?.ended) screen.line(`${last.status}: ${last.message ?? ''}`);
}

function createPlainLines(line: (text: string) => void) {
  const shownStates = new Map<number, string>();
  let shownAt = 0;

  function key({ done, failed, skipped, endedAt }: StageProgress): string {
    return JSON.stringify([done, failed, skipped, endedAt !== null]);
  }

  return (snapshot: RunSnapshot, now: Date) => {
    for (const [index, stage] of snapshot.stages.entries()) {
      if (shownStates.get(index) === key(stage)) continue;
      if (stage.endedAt === null && now.getTime() - shownAt < PLAIN_LINE_MS) continue;
      shownStates.set(index, key(stage));
      shownAt = now.getTime();
      line(progressText(stage, now));
    }
  };
}
