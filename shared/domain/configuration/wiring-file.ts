import { openInside } from '../../kernel/files/paths.ts';
import { SchedulingError, type Wiring } from '../../science/schedulers/model.ts';
import { parseWiring } from '../../science/schedulers/wiring.ts';
import { type ChipOfProject, chipFolder } from './rules.ts';

/** Maximum size in bytes of a configuration file. */
const MAX_FILE_BYTES = 1024 * 1024;

/**
 * Reads `<configuration root>/<project>/<chip>/config/wiring.yaml`.
 * @param muxIds ids of the chip's multiplexers; if given, entries for others are rejected
 * @returns null if the file does not exist
 * @throws SchedulingError when the file is not a regular file inside the root, is over 1 MiB, or is invalid
 */
export async function readWiring(
  configurationRoot: string,
  chip: ChipOfProject,
  muxIds?: readonly string[],
): Promise<Wiring | null> {
  const path = `${chipFolder(chip)}/config/wiring.yaml`;
  const file = await openInside(configurationRoot, path);
  if (file === 'missing') return null;
  if (typeof file === 'string') {
    throw new SchedulingError(`${path} is not used: it is no plain file inside the configuration directory.`);
  }
  try {
    if (file.size > MAX_FILE_BYTES) throw new SchedulingError(`${path} is not used: it is over 1 MiB.`);
    return parseWiring(await file.handle.readFile('utf8'), chip.chip_id, muxIds);
  } finally {
    await file.handle.close();
  }
}
