import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { LONGEST } from './longest-files.ts';

/** Folders by how long their files take, longest first: those that start processes, those on the engines, the rest. */
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
 * file to file, and long ones before short ones, so that at the end no core waits for the other.
 */
export class FileOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rank(a) - rank(b));
  }
}

function rank({ project, moduleId }: TestSpecification): number {
  const long = LONGEST.findIndex((each) => moduleId.endsWith(`/${each}`));
  const folder = FOLDERS.findIndex((each) => moduleId.includes(`/${each}`));
  const within = long === -1 ? LONGEST.length + (folder === -1 ? FOLDERS.length : folder) : long;
  return (project.config.isolate ? 0 : 100) + within;
}
