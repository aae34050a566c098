import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { build, stop } from 'esbuild';

/**
 * What Node.js is given as a file: programs, what their threads run, and what is loaded when it is needed, which a process
 * finds also when the programs were compiled anew meanwhile. Each keeps its place: `api/main.ts` is `dist/api/main.js`.
 */
export const entries = [
  'api/main.ts',
  'workers/main.ts',
  'workers/demo-instrument/main.ts',
  'workers/updater/main.ts',
  'workers/promote.ts',
  'workers/adopt.ts',
  'workers/build-bundles.ts',
  'workers/bundling.ts',
  'scripts/start/main.ts',
  'scripts/start/run.ts',
  'activities/analysis/worker.ts',
  'activities/flow-isolate/thread.ts',
  'shared/domain/accounts/password-thread.ts',
  'shared/domain/flows/check-thread.ts',
  'shared/domain/image-processing/process.ts',
  'shared/domain/parsing/thread.ts',
  'shared/domain/reanalysis/thread.ts',
  'shared/domain/language-models/asking.ts',
  'shared/domain/metrics/report.ts',
  'shared/science/datasets/hdf5-file.ts',
  'shared/science/figures/device-plot.ts',
  'shared/science/figures/draw.ts',
  'shared/science/previews/preview.ts',
  'shared/tasks/analyses.ts',
];

/** What an isolate of flows holds of ours, in one file: there is neither a Node.js nor a folder. */
export const PLANNER = 'activities/flow-isolate/inside/planner.ts';

/**
 * Compiles the programs of a source tree without checking types. Of ours, each file that starts is bundled with what it
 * imports (what several of them import is in `chunks`): to find and read 600 modules one by one takes Node.js half a
 * second of a core at every start. Packages stay where they are: some have files beside their code.
 * @param directory where they are written; they are made for `dist` of the tree
 * @throws with the place of what cannot be compiled
 */
export async function compile(tree: string, directory: string): Promise<void> {
  const common = {
    absWorkingDir: tree,
    outbase: tree,
    outdir: join(tree, 'dist'),
    write: false,
    bundle: true,
    format: 'esm',
    // Source maps are read where an error is told of: shared/kernel/source-positions.ts.
    sourcemap: true,
    sourcesContent: false,
    logLevel: 'silent',
  } as const;
  try {
    const programs = await build({
      ...common,
      entryPoints: entries.map((entry) => join(tree, entry)),
      splitting: true,
      chunkNames: 'chunks/[name]-[hash]',
      platform: 'node',
      target: 'node20.19',
      packages: 'external',
    });
    const inside = await build({
      ...common,
      entryPoints: [join(tree, PLANNER)],
      platform: 'neutral',
      target: 'es2022',
      sourcemap: false,
    });
    for (const { path, contents } of [...programs.outputFiles, ...inside.outputFiles]) {
      const file = join(directory, relative(common.outdir, path));
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, contents);
    }
  } finally {
    // Its own process would stay as long as ours.
    await stop();
  }
}
