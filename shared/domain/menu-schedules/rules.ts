/** When the slots for crons are due before anybody has filled them: they are not active then. */
export const slotDefaults = ['0 4 * * *', '40 4 * * *', '40 6 * * *', '30 7 * * *', '30 8 * * *'] as const;

/** The name of a slot; the first is 1. */
export function slotName(environment: string, slot: number): string {
  return `cron-scheduler/${environment}-cron-scheduler-${slot}`;
}

/** The number of a slot by its name, with or without what comes before `cron-scheduler-`; null for another name. */
export function slotOf(name: string): number | null {
  const digit = /(?:^|[/-])cron-scheduler-([1-5])$/.exec(name)?.[1];
  return digit === undefined ? null : Number(digit);
}
