import { builtBundles, workflowBundle } from './bundle.ts';

// Part of `npm run build`: the image contains the bundles, so that workers need not build them at startup.
for (const versioned of [false, true]) await workflowBundle(builtBundles, { versioned });
await workflowBundle(builtBundles, { updater: true });
