/** Which backups are kept. Pure. */

/** For how many days and weeks the newest backup of each is kept. */
export interface Retention {
  daily: number;
  weekly: number;
}

/**
 * Names of the backups to delete. For each of the newest `daily` days that have a backup, and each of the newest `weekly`
 * weeks (from Monday, in UTC), the newest backup is kept. The newest backup of all is always kept.
 * @param backups names with the times at which they were taken, in any order
 */
export function outdatedBackups(
  backups: readonly { name: string; takenAt: Date }[],
  { daily, weekly }: Retention,
): string[] {
  const newestFirst = [...backups].sort((a, b) => b.takenAt.getTime() - a.takenAt.getTime());
  const kept = new Set(newestFirst.slice(0, 1).map(({ name }) => name));
  for (const [periodOf, count] of [
    [dayOf, daily],
    [weekOf, weekly],
  ] as const) {
    const periods = new Set<string>();
    for (const { name, takenAt } of newestFirst) {
      const period = periodOf(takenAt);
      if (periods.has(period)) continue;
      if (periods.size >= count) break;
      periods.add(period);
      kept.add(name);
    }
  }
  return newestFirst.filter(({ name }) => !kept.has(name)).map(({ name }) => name);
}

function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10);
}

/** The Monday on which the week of this time begins. */
function weekOf(time: Date): string {
  const sinceMonday = (time.getUTCDay() + 6) % 7;
  return dayOf(new Date(time.getTime() - sinceMonday * 24 * 3600 * 1000));
}
