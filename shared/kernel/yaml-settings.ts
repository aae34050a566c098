import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { z } from 'zod';
import { messageOf } from './errors.ts';
import { packageRoot } from './package-root.ts';
import { SettingsError } from './secret-files.ts';

/** A YAML file of the configuration, with a default that is shipped in `config/`. */
export interface YamlSettings<Content> {
  name: string;
  /** The problems of a content, as messages; empty if it is valid. */
  check(text: string): string[];
  /**
   * Reads the file from the configuration, or the shipped one if it is missing.
   * @throws SettingsError with one message for each mistake
   */
  read(directory: string): Promise<Content>;
}

/** @param schema of the content */
export function yamlSettings<Content>(name: string, schema: z.ZodType<Content>): YamlSettings<Content> {
  const unreadable = (thrown: unknown) =>
    new SettingsError([`config/${name} cannot be read: ${messageOf(thrown)}.`]);

  function parsed(text: string): Content {
    let content: unknown;
    try {
      content = parse(text);
    } catch (thrown) {
      throw unreadable(thrown);
    }
    const read = schema.safeParse(content);
    if (read.success) return read.data;
    throw new SettingsError(
      read.error.issues.map((issue) => {
        const place = issue.path.length > 0 ? ` at ${issue.path.join('.')}` : '';
        return `config/${name} is wrong${place}: ${issue.message}.`;
      }),
    );
  }

  return {
    name,
    check(text) {
      try {
        parsed(text);
        return [];
      } catch (thrown) {
        if (thrown instanceof SettingsError) return thrown.problems;
        throw thrown;
      }
    },
    async read(directory) {
      const own = await readFile(join(directory, name), 'utf8').catch((thrown) => {
        if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return null;
        throw unreadable(thrown);
      });
      return parsed(own ?? (await readFile(new URL(`config/${name}`, packageRoot), 'utf8')));
    },
  };
}
