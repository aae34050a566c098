import { join } from 'node:path';
import { openInside } from '../shared/files/paths.ts';
import type { Wiring } from '../shared/schedulers/model.ts';
import { parseWiring } from '../shared/schedulers/wiring.ts';

/**
 * The wiring of a chip from `<configuration>/<chip>/config/wiring.yaml` (facts-calibration 4.1), null without
 * such a file.
 * @throws SchedulingError that lists every mistake in the file
 */
export async function readWiring(
  configuration: string,
  chipId: string,
  muxIds: readonly string[],
): Promise<Wiring | null> {
  const file = await openInside(configuration, join(chipId, 'config', 'wiring.yaml'));
  if (typeof file === 'string') return null;
  try {
    return parseWiring(await file.handle.readFile('utf8'), chipId, muxIds);
  } finally {
    await file.handle.close();
  }
}
