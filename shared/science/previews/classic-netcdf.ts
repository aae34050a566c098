import { type ClassicFile, type ClassicVariable, readClassicFile } from '../datasets/classic-file.ts';
import { StoredFileProblem } from '../datasets/stored-variable.ts';
import { type ArrayFile, type ArrayVariable, type Cell, PreviewProblem } from './model.ts';
import { valueCount } from './table.ts';

/**
 * Reads the first values of the variables of a classic NetCDF file. The file may contain more than our datasets do:
 * records, text, dimensions without an axis. Memory is bounded by the file's length, not by its header.
 * @throws PreviewProblem for a file that is damaged
 */
export function openClassicNetcdf(bytes: Uint8Array): ArrayFile {
  const { attributes, variables } = readable(bytes);
  const stored = new Map(variables.map((variable) => [variable.name, variable]));
  return {
    variables: [...stored.values()].map(
      ({ name, dims, shape, dtype }): ArrayVariable => ({
        name,
        shape,
        axes: dims.map((dimension) => (stored.has(dimension) ? dimension : null)),
        dtype,
      }),
    ),
    attribute(name) {
      const value = attributes[name];
      return typeof value === 'string' ? value : null;
    },
    first({ name, shape }, count) {
      const variable = stored.get(name);
      if (!variable?.isWhole || count > valueCount({ shape })) throw damaged();
      return { value: Array.from({ length: count }, (_, index) => cellAt(variable, index)) };
    },
  };
}

function cellAt({ dtype, at }: ClassicVariable, index: number): Cell {
  return dtype === 'string' ? String.fromCharCode(at(index)) : at(index);
}

function readable(bytes: Uint8Array): ClassicFile {
  try {
    return readClassicFile(bytes);
  } catch (thrown) {
    throw thrown instanceof StoredFileProblem ? damaged() : thrown;
  }
}

function damaged(): PreviewProblem {
  return new PreviewProblem('it is damaged or not a NetCDF file');
}
