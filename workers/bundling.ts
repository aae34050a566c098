/** A process that bundles workflow code and ends: what the bundler holds, 120 MB, goes with it. */
import { bundleWorkflowCode, type Logger } from '@temporalio/worker';
import type { Bundling } from './bundle.ts';

const silent: Logger = {
  log: () => undefined,
  trace: () => undefined,
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: (message) => console.error(message),
};

process.once('message', async (bundling: Bundling) => {
  const { code } = await bundleWorkflowCode({
    ...bundling,
    logger: silent,
    // Stacks tell places alone; with the text of the sources the map would be twice the code.
    webpackConfigHook: (config) => ({ ...config, devtool: 'inline-nosources-source-map' }),
  });
  process.send?.(code, () => process.disconnect());
});
