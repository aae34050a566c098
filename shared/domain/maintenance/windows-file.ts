import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { messageOf } from '../../kernel/errors.ts';
import { packageRoot } from '../../kernel/package-root.ts';
import { SettingsError } from '../../kernel/secret-files.ts';
import type { WindowSettings } from './window-rules.ts';

/** Name of the file in the configuration. */
const WINDOWS_FILE = 'maintenance.yaml';
const shipped = new URL(`config/${WINDOWS_FILE}`, packageRoot);

const hours = z.number().positive().max(87_600);
const hold = z.strictObject({
  hours: hours.optional(),
  tolerance: z.number().positive().optional(),
  of: z.enum(['unit', 'value']).optional(),
});
const content = z
  .strictObject({
    default: z.strictObject({ hours }),
    shortest_hours: hours,
    longest_hours: hours,
    largest_factor: z.number().min(1).max(1000),
    significance: z.number().positive().max(100),
    tasks: z.record(z.string(), hold).default({}),
    parameters: z.record(z.string(), hold).default({}),
  })
  .refine((read) => read.shortest_hours <= read.longest_hours, {
    message: 'must not be above longest_hours',
    path: ['shortest_hours'],
  });

/** The file as clients may write it. */
export const windowsFile = {
  name: WINDOWS_FILE,
  /** The problems of a content, as sentences; empty if it is valid. */
  check(text: string): string[] {
    try {
      parseWindows(text);
      return [];
    } catch (thrown) {
      if (thrown instanceof SettingsError) return thrown.sentences;
      throw thrown;
    }
  },
};

/**
 * Reads `maintenance.yaml` from the configuration, or the shipped `config/maintenance.yaml` if it is missing.
 * @throws SettingsError with one sentence for each mistake
 */
export async function readWindows(directory: string): Promise<WindowSettings> {
  const own = await readFile(join(directory, WINDOWS_FILE), 'utf8').catch((thrown) => {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return null;
    throw new SettingsError([`config/${WINDOWS_FILE} cannot be read: ${messageOf(thrown)}.`]);
  });
  return parseWindows(own ?? (await readFile(shipped, 'utf8')));
}

function parseWindows(text: string): WindowSettings {
  let yaml: unknown;
  try {
    yaml = parse(text);
  } catch (thrown) {
    throw new SettingsError([`config/${WINDOWS_FILE} cannot be read: ${messageOf(thrown)}.`]);
  }
  const read = content.safeParse(yaml);
  if (!read.success) {
    throw new SettingsError(
      read.error.issues.map((issue) => {
        const place = issue.path.length > 0 ? ` at ${issue.path.join('.')}` : '';
        return `config/${WINDOWS_FILE} is wrong${place}: ${issue.message}.`;
      }),
    );
  }
  const { shortest_hours, longest_hours, largest_factor, ...rest } = read.data;
  return {
    ...rest,
    shortestHours: shortest_hours,
    longestHours: longest_hours,
    largestFactor: largest_factor,
  };
}
