/** A short-lived process that bundles workflow code, so that the bundler's 120 MB of memory are freed afterwards. */
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
    // Stack traces need only positions. With the source text, the map would be twice as large as the code.
    webpackConfigHook: (config) => ({ ...config, devtool: 'inline-nosources-source-map' }),
  });
  process.send?.(code, () => process.disconnect());
});
