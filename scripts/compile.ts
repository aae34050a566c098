import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { build, stop } from 'esbuild';

/**
 * Entry points: programs, code of their threads, and modules loaded on demand, which a running process still finds after a
 * recompilation. Each keeps its path: `api/main.ts` becomes `dist/api/main.js`.
 */
export const entries = [
  'api/main.ts',
  'workers/main.ts',
  'workers/backend-route/main.ts',
  'workers/demo-instrument/main.ts',
  'workers/updater/main.ts',
  'workers/promote.ts',
  'workers/adopt.ts',
  'workers/build-bundles.ts',
  'workers/bundling.ts',
  'scripts/backup/main.ts',
  'scripts/backup/restore-main.ts',
  'scripts/start/main.ts',
  'scripts/start/run.ts',
  'activities/analysis/worker.ts',
  'activities/flow-isolate/thread.ts',
  'shared/domain/accounts/password-thread.ts',
  'shared/domain/flows/check-thread.ts',
  'shared/domain/flows/type-thread.ts',
  'shared/domain/image-processing/process.ts',
  'shared/domain/parsing/thread.ts',
  'shared/domain/reanalysis/thread.ts',
  'shared/domain/language-models/asking.ts',
  'shared/domain/metrics/report.ts',
  'shared/science/datasets/hdf5-file.ts',
  'shared/science/datasets/zarr-file.ts',
  'shared/science/figures/device-plot.ts',
  'shared/science/figures/draw.ts',
  'shared/science/previews/preview.ts',
  'shared/tasks/analyses.ts',
];

/** Our code inside the flow isolate. It is a single file, because the isolate has neither Node.js nor a file system. */
export const PLANNER = 'activities/flow-isolate/inside/planner.ts';

/**
 * Compiles the programs of a source tree without type checks. Each entry point is bundled with our modules that it imports
 * (shared ones go to `chunks`), because resolving and reading 600 modules costs Node.js half a second of processor time at
 * every start. Packages are not bundled, because some need files beside their code.
 * @param directory output directory; the output is meant to be moved to `dist` of the tree
 * @throws with the position of a compile error
 */
export async function compile(tree: string, directory: string): Promise<void> {
  const common = {
    absWorkingDir: tree,
    outbase: tree,
    outdir: join(tree, 'dist'),
    write: false,
    bundle: true,
    format: 'esm',
    // shared/kernel/source-positions.ts reads the source maps to report error positions.
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
    // Otherwise the compiler's process would run as long as ours.
    await stop();
  }
}
