import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { settingRows } from '../../scripts/settings-table.ts';
import { FLOW_LIMITS } from '../../shared/domain/flows/rules.ts';
import { packageRoot } from '../../shared/kernel/package-root.ts';

const page = readFileSync(join(fileURLToPath(packageRoot), 'docs/limits.md'), 'utf8');
const limits: Readonly<Record<string, number>> = FLOW_LIMITS;
const UNITS = { KiB: 1024, MiB: 1024 * 1024 };

test('the page of limits has the numbers of the code', () => {
  const rows = [...page.matchAll(/^\| (\S+) .* \| ([\d,]+) \| `FLOW_LIMITS\.(\w+)` \|$/gm)];
  expect(rows.length).toBeGreaterThan(9);
  for (const [, unit, value = '', name = ''] of rows) {
    const factor = unit === 'KiB' || unit === 'MiB' ? UNITS[unit] : 1;
    expect([name, Number(value.replaceAll(',', '')) * factor]).toEqual([name, limits[name]]);
  }
});

test('the page of limits names only settings that there are', () => {
  const known = new Set(settingRows().map(({ name }) => name));
  const named = [...page.matchAll(/`([A-Z]+(?:_[A-Z]+)+)`/g)].map(([, name = '']) => name);
  expect(named.filter((name) => !known.has(name))).toEqual([]);
});
