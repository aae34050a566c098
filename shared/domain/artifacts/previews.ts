import { CalibronError } from '../../kernel/errors.ts';
import type { ArtifactPreview } from '../../science/previews/model.ts';
import type { Asker, ParsingPool } from '../parsing/index.ts';
import type { NamedFile } from './bundles.ts';
import { whileParsed } from './calibration-data.ts';

/** The limit is far above what a task measures. */
const PREVIEWED = {
  extension: '.nc',
  maxBytes: 64 * 1024 * 1024,
  tooLarge: 'Files of more than 64 MiB have no preview; download the file.',
};

/**
 * Previews a NetCDF file of the calibration data as a table.
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
  const answer = await whileParsed(root, { path, project }, PREVIEWED, ({ descriptor, size, name }) =>
    parsing.run({ kind: 'preview', descriptor, size, filename: name }, asker),
  );
  if ('preview' in answer) return answer.preview;
  const why = 'problem' in answer ? answer.problem : null;
  throw new CalibronError('unreadable_file', `The file cannot be shown: ${why ?? 'it has none'}.`);
}
