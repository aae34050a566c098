import { type ChipOfProject, chipFolder } from '../configuration/rules.ts';

/** Names of parameters that can have a file. */
export const FILE_PARAMETER = /^[A-Za-z0-9_]{1,100}$/;

/** Where the values of a parameter of a chip's qubits are, within the configuration. */
export function parameterFilePath(chip: ChipOfProject, parameter: string): string {
  return `${chipFolder(chip)}/params/${parameter}.yaml`;
}
