import { openClassicNetcdf } from './classic-netcdf.ts';
import { readHdf5 } from './hdf5.ts';
import { type ArtifactPreview, PreviewProblem } from './model.ts';
import { previewOf } from './table.ts';

/**
 * The first values of a NetCDF file of either format. Call it in a thread with limits, because the file may contain
 * anything.
 * @throws PreviewProblem
 */
export async function previewNetcdf(bytes: Uint8Array, filename: string): Promise<ArtifactPreview> {
  const magic = Buffer.from(bytes.subarray(0, 8)).toString('latin1');
  if (magic.startsWith('CDF')) return previewOf(openClassicNetcdf(bytes), filename);
  if (magic !== '\x89HDF\r\n\x1a\n') throw new PreviewProblem('it is not a NetCDF file');
  return readHdf5(bytes, (file) => previewOf(file, filename));
}
