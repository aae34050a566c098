/** Default times of the cron slots until they are filled; they are inactive then. */
export const slotDefaults = ['0 4 * * *', '40 4 * * *', '40 6 * * *', '30 7 * * *', '30 8 * * *'] as const;

/** The name of a slot; slots are numbered from 1. */
export function slotName(environment: string, slot: number): string {
  return `cron-scheduler/${environment}-cron-scheduler-${slot}`;
}

/** The number of a slot from its name, with or without a prefix before `cron-scheduler-`; null for any other name. */
export function slotOf(name: string): number | null {
  const digit = /(?:^|[/-])cron-scheduler-([1-5])$/.exec(name)?.[1];
  return digit === undefined ? null : Number(digit);
}
