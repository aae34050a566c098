import { ANALYSIS_FILE_LIMIT } from '../../shared/domain/backends/answer-rules.ts';
import { messageOf } from '../../shared/kernel/errors.ts';
import { openResolved } from '../../shared/kernel/files/paths.ts';
import { readDatasetBytes } from '../../shared/science/datasets/dataset-bytes.ts';
import type { Dataset } from '../../shared/science/datasets/model.ts';

/** Reads the dataset of a NetCDF file of any kind or of a zipped Zarr store (links resolved). @returns the dataset, or why it cannot be read */
export async function readDatasetFile(path: string): Promise<{ dataset: Dataset } | { problem: string }> {
  const opened = await openResolved(path);
  if (typeof opened === 'string') {
    return { problem: "The backend's data file cannot be read: it is not a plain file." };
  }
  const { handle, size } = opened;
  try {
    if (size > ANALYSIS_FILE_LIMIT) return { problem: tooLarge(size) };
    const bytes = await handle.readFile();
    return { dataset: await withoutLibraryMessages(() => readDatasetBytes(bytes)) };
  } catch (thrown) {
    return { problem: `The backend's data file cannot be read: ${messageOf(thrown)}.` };
  } finally {
    await handle.close();
  }
}

function tooLarge(size: number): string {
  const [mib, limit] = [size, ANALYSIS_FILE_LIMIT].map((bytes) => Math.ceil(bytes / 1024 / 1024));
  return `The backend's data file of ${mib} MiB is kept as raw data and is too large to be analysed, which is done up to ${limit} MiB.`;
}

/** Suppresses the messages that the HDF5 library prints about damaged files. */
async function withoutLibraryMessages<Result>(read: () => Promise<Result>): Promise<Result> {
  const { error } = console;
  console.error = () => {};
  try {
    return await read();
  } finally {
    console.error = error;
  }
}
