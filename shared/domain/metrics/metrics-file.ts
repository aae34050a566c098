import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { messageOf } from '../../kernel/errors.ts';
import { packageRoot } from '../../kernel/package-root.ts';
import { SettingsError } from '../../kernel/secret-files.ts';
import { type MetricsSettings, metricsFileContent } from './model.ts';

/** Name of the file in the configuration. */
const METRICS_FILE = 'metrics.yaml';
const shipped = new URL(`config/${METRICS_FILE}`, packageRoot);

/** The file as clients may write it. */
export const metricsFile = {
  name: METRICS_FILE,
  /** The problems of a content, as sentences; empty if it is valid. */
  check(text: string): string[] {
    try {
      parseMetrics(text);
      return [];
    } catch (thrown) {
      if (thrown instanceof SettingsError) return thrown.sentences;
      throw thrown;
    }
  },
};

/**
 * Reads `metrics.yaml` from the configuration, or the shipped `config/metrics.yaml` if it is missing.
 * @throws SettingsError with one sentence for each mistake
 */
export async function readMetrics(directory: string): Promise<MetricsSettings> {
  const own = await readFile(join(directory, METRICS_FILE), 'utf8').catch((thrown) => {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return null;
    throw new SettingsError([`config/${METRICS_FILE} cannot be read: ${messageOf(thrown)}.`]);
  });
  return parseMetrics(own ?? (await readFile(shipped, 'utf8')));
}

function parseMetrics(text: string): MetricsSettings {
  let content: unknown;
  try {
    content = parse(text);
  } catch (thrown) {
    throw new SettingsError([`config/${METRICS_FILE} cannot be read: ${messageOf(thrown)}.`]);
  }
  const read = metricsFileContent.safeParse(content);
  if (read.success) return read.data;
  throw new SettingsError(
    read.error.issues.map((issue) => {
      const place = issue.path.length > 0 ? ` at ${issue.path.join('.')}` : '';
      return `config/${METRICS_FILE} is wrong${place}: ${issue.message}.`;
    }),
  );
}
