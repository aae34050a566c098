import { type ChipOfProject, chipFolder } from '../configuration/rules.ts';

/** Parameter names that can have a file. */
export const FILE_PARAMETER = /^[A-Za-z0-9_]{1,100}$/;

/** Path, within the configuration, of the file with the values of a parameter of a chip's qubits. */
export function parameterFilePath(chip: ChipOfProject, parameter: string): string {
  return `${chipFolder(chip)}/params/${parameter}.yaml`;
}
