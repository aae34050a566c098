import { datasetOf } from './cf-dataset.ts';
import { classicVariables } from './classic-file.ts';
import type { Dataset } from './model.ts';
import { StoredFileProblem } from './stored-variable.ts';

/** HDF5 may begin after a block of the user's own: https://docs.hdfgroup.org/hdf5/develop/_f_m_t3.html */
const HDF5_BEGINS = [0, 512, 1024, 2048];
const HDF5_MAGIC = '\x89HDF\r\n\x1a\n';

/**
 * Reads the dataset of a NetCDF file of any kind (CDF-1, CDF-2, CDF-5, NetCDF-4) or of a zipped Zarr store. Call it in
 * a thread with limits if the file is large.
 * @throws StoredFileProblem that describes the problem and names the supported formats
 */
export async function readDatasetBytes(bytes: Uint8Array): Promise<Dataset> {
  const magicAt = (at: number) => String.fromCharCode(...bytes.subarray(at, at + 8));
  if (magicAt(0).startsWith('CDF')) return datasetOf(classicVariables(bytes));
  if (HDF5_BEGINS.some((at) => magicAt(at) === HDF5_MAGIC)) {
    // The HDF5 library is loaded only when needed, because it is as large as all other modules together.
    const { readHdf5Variables } = await import('./hdf5-file.ts');
    return readHdf5Variables(bytes, (variables) => datasetOf(variables));
  }
  if (magicAt(0).startsWith('PK')) {
    const { readZarrVariables } = await import('./zarr-file.ts');
    return datasetOf(await readZarrVariables(bytes));
  }
  throw new StoredFileProblem(
    'it is of another kind; NetCDF-3 (CDF-1, CDF-2, CDF-5), NetCDF-4 and zipped Zarr are read',
  );
}
