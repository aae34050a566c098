import { extreme } from './extreme.ts';
import { healthy } from './healthy.ts';
import { imperfect } from './imperfect.ts';
import { labs } from './labs.ts';
import type { Group, Kind, Listed } from './model.ts';
import { spoilt } from './spoilt.ts';

function inGroup(group: Group, listed: readonly Listed[]): Kind[] {
  return listed.map((kind) => ({ ...kind, group }));
}

/** All kinds of measurements of the campaign. */
export const kinds: readonly Kind[] = [
  ...inGroup('healthy', healthy),
  ...inGroup('extreme', extreme),
  ...inGroup('imperfect', imperfect),
  ...inGroup('labs', labs),
  ...inGroup('spoilt', spoilt),
];
