import { readFileSync } from 'node:fs';
import semver from 'semver';
import { expect, test } from 'vitest';
import { z } from 'zod';

const described = <T>(file: string, shape: z.ZodType<T>): T =>
  shape.parse(JSON.parse(readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')));

const engines = z.object({ node: z.string().optional() }).optional();

test('every package takes the oldest Node.js that Calibron takes, so that npm warns of none', () => {
  const own = described('package.json', z.object({ engines: z.object({ node: z.string() }) }));
  const oldest = semver.minVersion(own.engines.node)?.version ?? '';
  const { packages } = described(
    'package-lock.json',
    z.object({
      packages: z.record(z.string(), z.object({ engines, optional: z.boolean().optional() })),
    }),
  );
  // npm leaves out optional ones that do not fit, without a word.
  const refusing = Object.entries(packages).filter(
    ([, { engines: wanted, optional }]) =>
      !optional && wanted?.node && !semver.satisfies(oldest, wanted.node),
  );
  expect(oldest).toMatch(/^\d+\.\d+\.\d+$/);
  expect(refusing.map(([path, wanted]) => [path, wanted.engines?.node])).toEqual([]);
});
