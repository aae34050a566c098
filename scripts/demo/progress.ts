/** Current progress of a stage of a run. */
export interface StageProgress {
  name: string;
  total: number;
  done: number;
  failed: number;
  /** Not run, because an earlier task of the target failed. */
  skipped: number;
  startedAt: Date;
  endedAt: Date | null;
}

export interface RunSnapshot {
  status: string;
  message: string | null;
  stages: readonly StageProgress[];
  ended: boolean;
}

const BAR_WIDTH = 24;

/** Seconds as `m:ss`, or with hours as `h:mm:ss`. */
export function clock(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const two = (value: number) => String(value).padStart(2, '0');
  const hours = Math.trunc(whole / 3600);
  const minutes = Math.trunc(whole / 60) % 60;
  return hours > 0 ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}

/** Seconds from a stage's start until now, or until its end. */
function elapsedSeconds(stage: StageProgress, now: Date): number {
  return ((stage.endedAt ?? now).getTime() - stage.startedAt.getTime()) / 1000;
}

/** Remaining seconds at the pace of the settled tasks; null while none is settled. */
export function remainingSeconds(stage: StageProgress, now: Date): number | null {
  const settled = stage.done + stage.failed + stage.skipped;
  if (stage.endedAt || settled >= stage.total) return 0;
  if (settled === 0) return null;
  return (elapsedSeconds(stage, now) / settled) * (stage.total - settled);
}

/** The stages as lines for redrawing, one line per stage, in columns. */
export function progressLines(run: RunSnapshot, now: Date): string[] {
  const width = Math.max(0, ...run.stages.map(({ name }) => name.length));
  return run.stages.map((stage) => {
    const settled = stage.done + stage.failed + stage.skipped;
    const filled = stage.total === 0 ? BAR_WIDTH : Math.round((settled / stage.total) * BAR_WIDTH);
    const bar = '█'.repeat(filled).padEnd(BAR_WIDTH, '░');
    const done = String(stage.done).padStart(String(stage.total).length);
    return `  ${stage.name.padEnd(width)}  ${bar}  ${words(stage, done, now).join('  ')}`;
  });
}

/** The running or last ended stage as one plain line. */
export function progressText(stage: StageProgress, now: Date): string {
  return `${stage.name}: ${words(stage, String(stage.done), now).join(', ')}`;
}

function words(stage: StageProgress, done: string, now: Date): string[] {
  const { failed, skipped, total } = stage;
  const remaining = remainingSeconds(stage, now);
  return [
    `${done} done`,
    `${failed} failed`,
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
    `${total} in total`,
    `elapsed ${clock(elapsedSeconds(stage, now))}`,
    ...(stage.endedAt ? [] : [remaining === null ? 'remaining ?' : `remaining about ${clock(remaining)}`]),
  ];
}
