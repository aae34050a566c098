import { z } from 'zod';

/** A number in an environment variable. */
export const number = z.coerce.number('must be a number');

export const port = number
  .int('must be a whole number')
  .min(0, 'must be 0 to 65535')
  .max(65535, 'must be 0 to 65535');

export const seconds = number.positive('must be more than 0');

/** How many there may be of something. */
export const count = number.int('must be a whole number').min(1, 'must be at least 1');

/** Items of a comma-separated setting. */
export function commaSeparated(text: string | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/** The values of settings with these schemas. */
export type SettingsOf<Shape extends z.ZodRawShape> = z.output<z.ZodObject<Shape>>;
