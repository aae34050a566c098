import { z } from 'zod';
import { publicPathOf } from './public-url.ts';

/** Settings of the web console. */
export const consoleSettings = {
  CONSOLE: z
    .enum(['on', 'off'])
    .default('on')
    .describe('Whether the API serves the web console at /console/, and sends browsers there from /.'),
};

/** The path of the console as browsers see it, such as `/console/`. */
export function consolePathOf(settings: { PUBLIC_URL?: string | undefined }): string {
  return `${publicPathOf(settings)}console/`;
}
