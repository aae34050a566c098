import { extname } from 'node:path';
import { CalibronError } from '../../kernel/errors.ts';
import type { Asker, ParsingPool } from '../parsing/index.ts';
import type { NamedFile } from './bundles.ts';
import { whileParsed } from './calibration-data.ts';
import { MAX_DESCRIPTION_BYTES } from './undrawn-figures.ts';

const DESCRIPTION = {
  extension: '.json',
  maxBytes: MAX_DESCRIPTION_BYTES,
  tooLarge: 'Descriptions of more than 16 MiB are not drawn; take the PNG as it is.',
};

/**
 * Draws a figure for dark pages from the description (JSON) stored beside its PNG.
 * @param file the PNG
 * @throws not_found, too_large above 16 MiB, unreadable_file, too_many_requests
 */
export async function drawDarkFigure(
  root: string,
  { path, project }: NamedFile,
  parsing: ParsingPool,
  asker: Asker,
): Promise<Uint8Array> {
  const description = `${path.slice(0, path.length - extname(path).length)}.json`;
  const answer = await whileParsed(
    root,
    { path: description, project },
    DESCRIPTION,
    ({ descriptor, size }) => parsing.run({ kind: 'figure', theme: 'dark', descriptor, size }, asker),
  );
  if ('png' in answer) return answer.png;
  const why = 'problem' in answer ? answer.problem : null;
  throw new CalibronError('unreadable_file', `The figure cannot be drawn: ${why ?? 'it holds none'}.`);
}
