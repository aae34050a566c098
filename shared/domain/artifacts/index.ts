import { join } from 'node:path';
import { defineArea, type Kernel } from '../../kernel/area.ts';
import { contentOf } from '../../kernel/files/archive-content.ts';
import { locate } from '../../kernel/files/paths.ts';
import type { Asker, ParsingPool } from '../parsing/index.ts';
import { bundleOf, type NamedFile } from './bundles.ts';
import { type DataFileLimits, isLargeFolder, openDataFile, projectOfData } from './calibration-data.ts';
import { drawDarkFigure } from './dark-figures.ts';
import { readPreview } from './previews.ts';
import { createUndrawnFigures, undrawnAmong } from './undrawn-figures.ts';

export type { NamedFile } from './bundles.ts';
export { dataMediaTypes } from './calibration-data.ts';

export type Artifacts = ReturnType<typeof artifacts.create>;

/** Files of the calibration data, by the paths that clients name. */
export const artifacts = defineArea({
  name: 'artifacts',
  indexes: [],
  create({ settings, log, parsing }: Kernel & { parsing: ParsingPool }) {
    const { CALIB_DATA_PATH: root } = settings;
    const { provide } = createUndrawnFigures(parsing, log);
    return {
      /** As {@link openDataFile}. */
      open: (path: string, limits?: DataFileLimits) => openDataFile(root, path, limits, provide),
      /** Whether a path leads into the calibration data, to something that is there or not. */
      isInside: async (path: string) => (await locate(root, path)) !== 'outside',
      /** As {@link isLargeFolder}. */
      isLargeFolder: (path: string) => isLargeFolder(root, path),
      /** As {@link projectOfData}. */
      projectOf: (path: string) => projectOfData(root, path),
      /** As {@link bundleOf}. */
      bundle: (files: readonly NamedFile[]) => bundleOf(root, files, provide),
      /** As {@link contentOf}, with every figure that is described. */
      async contentOf(path: string) {
        await provide(path);
        const entries = await contentOf(path);
        const undrawn = undrawnAmong(entries, path);
        if (undrawn.length === 0) return entries;
        for (const picture of undrawn) await provide(join(path, picture));
        return contentOf(path);
      },
      /** As {@link drawDarkFigure}. */
      darkFigure: (file: NamedFile, asker: Asker) => drawDarkFigure(root, file, parsing, asker),
      /** As {@link readPreview}. */
      preview: (file: NamedFile, asker: Asker) => readPreview(root, file, parsing, asker),
    };
  },
});
