import { defineArea, type Kernel } from '../../kernel/area.ts';
import { locate } from '../../kernel/files/paths.ts';
import type { Asker, ParsingPool } from '../parsing/index.ts';
import { bundleOf, type NamedFile } from './bundles.ts';
import { type DataFileLimits, openDataFile, projectOfData } from './calibration-data.ts';
import { drawDarkFigure } from './dark-figures.ts';
import { readPreview } from './previews.ts';

export type { NamedFile } from './bundles.ts';
export { dataMediaTypes } from './calibration-data.ts';

export type Artifacts = ReturnType<typeof artifacts.create>;

/** Files of the calibration data, by the paths that clients name. */
export const artifacts = defineArea({
  name: 'artifacts',
  indexes: [],
  create({ settings, parsing }: Kernel & { parsing: ParsingPool }) {
    const { CALIB_DATA_PATH: root } = settings;
    return {
      /** As {@link openDataFile}. */
      open: (path: string, limits?: DataFileLimits) => openDataFile(root, path, limits),
      /** Whether a path leads into the calibration data, to something that is there or not. */
      isInside: async (path: string) => (await locate(root, path)) !== 'outside',
      /** As {@link projectOfData}. */
      projectOf: (path: string) => projectOfData(root, path),
      /** As {@link bundleOf}. */
      bundle: (files: readonly NamedFile[]) => bundleOf(root, files),
      /** As {@link drawDarkFigure}. */
      darkFigure: (file: NamedFile, asker: Asker) => drawDarkFigure(root, file, parsing, asker),
      /** As {@link readPreview}. */
      preview: (file: NamedFile, asker: Asker) => readPreview(root, file, parsing, asker),
    };
  },
});
