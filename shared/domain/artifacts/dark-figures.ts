import { extname } from 'node:path';
import { CalibronError } from '../../kernel/errors.ts';
import type { Asker, ParsingPool } from '../parsing/index.ts';
import type { NamedFile } from './bundles.ts';
import { openDataFile } from './calibration-data.ts';

/** Bytes of a description that is drawn: several times what the largest map of ours takes. */
const MAX_FILE_BYTES = 16 * 1024 * 1024;

/**
 * A figure for dark pages, drawn from the description (JSON) that is stored beside its PNG.
 * @param file names the PNG
 * @throws not_found, too_large above 16 MiB, unreadable_file, too_many_requests
 */
export async function drawDarkFigure(
  root: string,
  { path, project }: NamedFile,
  parsing: ParsingPool,
  asker: Asker,
): Promise<Uint8Array> {
  const description = `${path.slice(0, path.length - extname(path).length)}.json`;
  const { handle, size } = await openDataFile(root, description, { kinds: ['.json'], project });
  try {
    if (size > MAX_FILE_BYTES) {
      throw new CalibronError(
        'too_large',
        'Descriptions of more than 16 MiB are not drawn; take the PNG as it is.',
      );
    }
    const answer = await parsing.run({ kind: 'dark-figure', descriptor: handle.fd, size }, asker);
    if ('png' in answer) return answer.png;
    const why = 'problem' in answer ? answer.problem : null;
    throw new CalibronError('unreadable_file', `The figure cannot be drawn: ${why ?? 'it holds none'}.`);
  } finally {
    await handle.close();
  }
}
