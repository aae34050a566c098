import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { messageOf } from '../../kernel/errors.ts';
import { packageRoot } from '../../kernel/package-root.ts';
import { SettingsError } from '../../kernel/secret-files.ts';
import { type Endpoint, endpointOf } from './endpoint-rules.ts';
import { type CopilotSettings, copilotFileContent } from './model.ts';
import { modelsOf } from './rules.ts';

const COPILOT_FILE = 'copilot.yaml';
const shipped = new URL(`config/${COPILOT_FILE}`, packageRoot);

/** The file as clients may write it: a model at an address that is not allowed is refused. */
export function copilotFile(endpoints: readonly Endpoint[]) {
  return {
    name: COPILOT_FILE,
    /** The problems of a content, as sentences; empty if it is valid. */
    check(text: string): string[] {
      try {
        parseCopilotFile(text, endpoints);
        return [];
      } catch (thrown) {
        if (thrown instanceof SettingsError) return thrown.sentences;
        throw thrown;
      }
    },
  };
}

/**
 * Reads `copilot.yaml` from the configuration, or the shipped default if it is missing.
 * @throws SettingsError with one sentence for each mistake
 */
export async function readCopilotFile(
  directory: string,
  endpoints: readonly Endpoint[],
): Promise<CopilotSettings> {
  const own = await readFile(join(directory, COPILOT_FILE), 'utf8').catch((thrown) => {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return null;
    throw new SettingsError([`config/${COPILOT_FILE} cannot be read: ${messageOf(thrown)}.`]);
  });
  return parseCopilotFile(own ?? (await readFile(shipped, 'utf8')), endpoints);
}

function parseCopilotFile(text: string, endpoints: readonly Endpoint[]): CopilotSettings {
  let content: unknown;
  try {
    content = parse(text);
  } catch (thrown) {
    throw new SettingsError([`config/${COPILOT_FILE} cannot be read: ${messageOf(thrown)}.`]);
  }
  const read = copilotFileContent.safeParse(content ?? {});
  if (!read.success) {
    throw new SettingsError(
      read.error.issues.map((issue) => {
        const place = issue.path.length > 0 ? ` at ${issue.path.join('.')}` : '';
        return `config/${COPILOT_FILE} is wrong${place}: ${issue.message}.`;
      }),
    );
  }
  const elsewhere = modelsOf(read.data).filter((model) => endpointOf(model, endpoints) === null);
  if (elsewhere.length > 0) {
    throw new SettingsError(
      elsewhere.map(
        ({ name }) =>
          `config/${COPILOT_FILE} is wrong: the address of model ${name} is not in the setting AI_ENDPOINTS, by which an operator allows it.`,
      ),
    );
  }
  return read.data;
}
