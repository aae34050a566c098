import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { LONGEST } from './longest-files.ts';

/** Folders by how long their files take, longest first: those that start processes, and those on the engines. */
const FOLDERS = [
  'test/scripts/',
  'test/docs/',
  'test/workers/',
  'test/workflows/',
  'test/shared/domain/',
  'test/activities/',
  'test/api/',
];

/**
 * Files in the order in which they are begun: those with a process of their own first, so that the others keep theirs from
 * file to file, and long ones before short ones, so that at the end no core waits for the other. The long ones mostly wait:
 * what computes and needs no engine is spread among them, so that no core waits at the start either.
 */
export class FileOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
    const own = sorted.filter(({ project }) => project.config.isolate);
    const shared = sorted.filter(({ project }) => !project.config.isolate);
    const long = shared.filter((file) => positionIn(LONGEST, file) !== -1);
    const computing = shared.filter((file) => !long.includes(file) && folderOf(file) === -1);
    const onEngines = shared.filter((file) => !long.includes(file) && folderOf(file) !== -1);
    const share = Math.ceil(computing.length / Math.max(1, long.length));
    const spread = long.flatMap((file, i) => [file, ...computing.slice(i * share, (i + 1) * share)]);
    return [...own, ...spread, ...onEngines, ...computing.slice(long.length * share)];
  }
}

function rank(file: TestSpecification): number {
  const long = positionIn(LONGEST, file);
  return long === -1 ? LONGEST.length + folderOf(file) : long;
}

function folderOf({ moduleId }: TestSpecification): number {
  return FOLDERS.findIndex((each) => moduleId.includes(`/${each}`));
}

function positionIn(list: readonly string[], { moduleId }: TestSpecification): number {
  return list.findIndex((each) => moduleId.endsWith(`/${each}`));
}
