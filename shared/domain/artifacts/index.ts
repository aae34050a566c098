import { defineArea, type Kernel } from '../../kernel/area.ts';
import type { Asker, ParsingPool } from '../parsing/index.ts';
import { bundleOf, contentWithFigures, type NamedFile } from './bundles.ts';
import {
  type DataFileLimits,
  isLargeFolder,
  locateData,
  openDataFile,
  projectOfData,
} from './calibration-data.ts';
import { drawDarkFigure } from './dark-figures.ts';
import { readPreview } from './previews.ts';
import { createUndrawnFigures } from './undrawn-figures.ts';

export type { NamedFile } from './bundles.ts';
export { dataMediaTypes } from './calibration-data.ts';

/** The worker, when it draws figures that no client has requested. */
const WORKER: Asker = { kind: 'user', id: 'worker' };

export type Artifacts = ReturnType<typeof artifacts.create>;

/** Files of the calibration data, by the paths in client requests. */
export const artifacts = defineArea({
  name: 'artifacts',
  indexes: [],
  create({ settings, log, parsing }: Kernel & { parsing: ParsingPool }) {
    const { CALIB_DATA_PATH: root } = settings;
    const { provide } = createUndrawnFigures(parsing, log);
    return {
      /** As {@link openDataFile}. */
      open: (path: string, limits?: DataFileLimits) => openDataFile(root, path, limits, provide),
      /** Whether a path leads into the calibration data, whether or not it exists. */
      isInside: async (path: string) => (await locateData(root, path)) !== 'outside',
      /** As {@link isLargeFolder}. */
      isLargeFolder: (path: string) => isLargeFolder(root, path),
      /** As {@link projectOfData}. */
      projectOf: (path: string) => projectOfData(root, path),
      /** As {@link bundleOf}. */
      bundle: (files: readonly NamedFile[], asker?: Asker) => bundleOf(root, files, { provide, asker }),
      /** As {@link contentWithFigures}. */
      contentOf: (path: string, asker: Asker) => contentWithFigures(path, { provide, asker }),
      /** Draws the figure with this picture path (links resolved) unless it is already drawn. For workers. */
      draw: (picture: string) => provide(picture, WORKER),
      /** As {@link drawDarkFigure}. */
      darkFigure: (file: NamedFile, asker: Asker) => drawDarkFigure(root, file, parsing, asker),
      /** As {@link readPreview}. */
      preview: (file: NamedFile, asker: Asker) => readPreview(root, file, parsing, asker),
    };
  },
});
