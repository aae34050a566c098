import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { packageRoot } from '../../shared/kernel/package-root.ts';
import { readAlertRules } from '../support/alert-rules.ts';

test('the page about alerts has every alert once, and no other', async () => {
  const page = await readFile(new URL('docs/alerts.md', packageRoot), 'utf8');
  const named = page
    .split('\n')
    .filter((line) => line.startsWith('| `Calibron'))
    .flatMap((line) => [...(line.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, alert]) => alert));
  const alerts = (await readAlertRules()).map(({ alert }) => alert);
  expect(named.sort()).toEqual(alerts.sort());
});
