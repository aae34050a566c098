import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { packageRoot } from './package-root.ts';

const manifest = z.object({ version: z.string() });

/** Version of the service's package, written into the files that it creates. */
export const SERVICE_VERSION = manifest.parse(
  JSON.parse(readFileSync(new URL('package.json', packageRoot), 'utf8')),
).version;
