import { messageOf } from '../../shared/kernel/errors.ts';
import { openResolved } from '../../shared/kernel/files/paths.ts';
import type { Dataset } from '../../shared/science/datasets/model.ts';
import { decodeNetcdf } from '../../shared/science/datasets/netcdf.ts';

/** Largest data file of a backend that is read for analysis. */
const DATASET_FILE_LIMIT = 64 * 1024 * 1024;

/** Reads the dataset of a plain NetCDF file, its links resolved; otherwise the sentence that says why it cannot be read. */
export async function readDatasetFile(path: string): Promise<{ dataset: Dataset } | { problem: string }> {
  const opened = await openResolved(path);
  if (typeof opened === 'string') {
    return { problem: "The backend's data file cannot be read: it is not a plain file." };
  }
  const { handle, size } = opened;
  try {
    if (size > DATASET_FILE_LIMIT) {
      return {
        problem: `The backend's data file has ${size} bytes; at most ${DATASET_FILE_LIMIT} are read.`,
      };
    }
    return { dataset: decodeNetcdf(await handle.readFile()).dataset };
  } catch (thrown) {
    return { problem: `The backend's data file cannot be read: ${messageOf(thrown)}` };
  } finally {
    await handle.close();
  }
}
