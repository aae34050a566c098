import { builtBundles, workflowBundle } from './bundle.ts';

// Part of `npm run build`: the image has the bundles, so that no worker builds one when it starts.
for (const versioned of [false, true]) await workflowBundle(builtBundles, { versioned });
await workflowBundle(builtBundles, { updater: true });
