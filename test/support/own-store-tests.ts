import { test } from 'vitest';

/** Whether the store of this test run is a server that somebody else runs: then nothing may kill or restart it. */
export const isStoreForeign = Boolean(process.env['MONGODB_URI']);

/** A test that starts, kills or restarts a store of its own. It is skipped where the tests run against a given server. */
export const testWithOwnStore = test.skipIf(isStoreForeign);
