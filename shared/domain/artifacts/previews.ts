import { CalibronError } from '../../kernel/errors.ts';
import type { ArtifactPreview } from '../../science/previews/model.ts';
import type { Asker, ParsingPool } from '../parsing/index.ts';
import type { NamedFile } from './bundles.ts';
import { openDataFile } from './calibration-data.ts';

/** Bytes of a file that is previewed: far more than a task measures. Checked before anything is read. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;

/**
 * The beginning of a NetCDF file of the calibration data as a table.
 * @throws bad_request for other kinds, not_found, too_large above 64 MiB, unreadable_file, too_many_requests
 */
export async function readPreview(
  root: string,
  { path, project }: NamedFile,
  parsing: ParsingPool,
  asker: Asker,
): Promise<ArtifactPreview> {
  if (!/\.nc$/i.test(path)) {
    throw new CalibronError('bad_request', 'Only NetCDF files have a preview; their names end in .nc.');
  }
  const { handle, name, size } = await openDataFile(root, path, { kinds: ['.nc'], project });
  try {
    if (size > MAX_FILE_BYTES) {
      throw new CalibronError('too_large', 'Files of more than 64 MiB have no preview; download the file.');
    }
    const answer = await parsing.run({ kind: 'preview', descriptor: handle.fd, size, filename: name }, asker);
    if ('preview' in answer) return answer.preview;
    const why = 'problem' in answer ? answer.problem : null;
    throw new CalibronError('unreadable_file', `The file cannot be shown: ${why ?? 'it has none'}.`);
  } finally {
    await handle.close();
  }
}
