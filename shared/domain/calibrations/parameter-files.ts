import { readdir } from 'node:fs/promises';
import { parse } from 'yaml';
import { z } from 'zod';
import { messageOf } from '../../kernel/errors.ts';
import { openInside } from '../../kernel/files/paths.ts';
import { ConfigurationError } from '../configuration/errors.ts';
import { type ChipOfProject, chipFolder } from '../configuration/rules.ts';

/** Maximum size of a file in bytes, and maximum number of files of a chip. */
const MAX_FILE_BYTES = 1024 * 1024;
const MAX_FILES = 200;
const FILE_NAME = /^[A-Za-z0-9_]{1,100}\.yaml$/;

const content = z.object({
  meta: z.object({ description: z.string().default(''), unit: z.string().default('') }).nullish(),
  data: z
    .record(z.string().regex(/^Q?\d{1,5}$/i, 'must be a label such as Q00'), z.number().nullable())
    .nullish(),
});

/** One parameter of a chip's qubits, as read from its file. */
export interface ParameterFile {
  parameter_name: string;
  file: string;
  unit: string;
  description: string;
  /** By qubit; labels without a value are absent. */
  values: Map<string, number>;
}

/**
 * The parameter files of a chip, `<configuration>/<project>/<chip>/params/<parameter>.yaml`, by name.
 * @throws invalid_configuration for an invalid file
 */
export async function readParameterFiles(
  configurationRoot: string,
  chip: ChipOfProject,
): Promise<ParameterFile[]> {
  const folder = `${chipFolder(chip)}/params`;
  const names = (await readdir(`${configurationRoot}/${folder}`).catch((): string[] => [])).filter((name) =>
    FILE_NAME.test(name),
  );
  const files: ParameterFile[] = [];
  for (const name of names.sort().slice(0, MAX_FILES)) {
    const file = await openInside(configurationRoot, `${folder}/${name}`);
    if (typeof file === 'string') continue;
    try {
      if (file.size <= MAX_FILE_BYTES) files.push(parameterFile(name, await file.handle.readFile('utf8')));
    } finally {
      await file.handle.close();
    }
  }
  return files;
}

/** Parses a parameter file. @throws invalid_configuration */
export function parameterFile(name: string, text: string): ParameterFile {
  let read: z.infer<typeof content>;
  try {
    read = content.parse(parse(text) ?? {});
  } catch (thrown) {
    const reason = thrown instanceof z.ZodError ? z.prettifyError(thrown) : messageOf(thrown);
    throw new ConfigurationError('invalid_configuration', `params/${name} cannot be read: ${reason}.`);
  }
  const { unit = '', description = '' } = read.meta ?? {};
  const values = Object.entries(read.data ?? {}).flatMap(([label, value]) =>
    value === null ? [] : [[String(Number(label.replace(/^Q/i, ''))), value] as const],
  );
  return {
    parameter_name: name.slice(0, -'.yaml'.length),
    file: name,
    unit,
    description,
    values: new Map(values),
  };
}
