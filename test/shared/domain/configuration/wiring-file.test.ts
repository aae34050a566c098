import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readWiring } from '../../../../shared/domain/configuration/wiring-file.ts';
import { projectNamed } from '../../../support/ids.ts';
import { entry } from '../../../support/scheduled-chips.ts';

const chip = { project_id: projectNamed('prj'), chip_id: 'CHIP' };
let directory: string;
let root: string;
let file: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'calibron-wiring-'));
  root = join(directory, 'configuration');
  file = join(root, 'prj', 'CHIP', 'config', 'wiring.yaml');
  await mkdir(join(root, 'prj', 'CHIP', 'config'), { recursive: true });
});

afterEach(() => rm(directory, { recursive: true }));

test('the wiring of a chip is read from its configuration', async () => {
  await writeFile(file, 'CHIP:\n  - {mux: 0, ctrl: [R1A-5]}\n');
  expect(await readWiring(root, chip, ['0'])).toEqual({ 0: entry(0, { ctrl: ['R1A-5'] }) });
});

test('a chip without the file has no wiring', async () => {
  expect(await readWiring(root, chip)).toBeNull();
  expect(await readWiring(root, { ...chip, chip_id: 'OTHER' })).toBeNull();
});

test('a chip of the same name in another project has its own wiring', async () => {
  await writeFile(file, 'CHIP:\n  - {mux: 0, ctrl: [R1A-5]}\n');
  expect(await readWiring(root, { ...chip, project_id: projectNamed('other') })).toBeNull();
});

test('mistakes of the file are said', async () => {
  await writeFile(file, 'CHIP: [{mux: 4}]');
  await expect(readWiring(root, chip, ['0'])).rejects.toThrow('the chip has no MUX 4');
});

test('a link out of the configuration, a directory and a huge file are refused', async () => {
  await writeFile(join(directory, 'secret.yaml'), 'CHIP: [{mux: 0}]');
  await symlink(join(directory, 'secret.yaml'), file);
  await expect(readWiring(root, chip)).rejects.toThrow('no plain file inside the configuration directory');
  await rm(file);
  await mkdir(file);
  await expect(readWiring(root, chip)).rejects.toThrow('no plain file inside the configuration directory');
  await rm(file, { recursive: true });
  await writeFile(file, `# ${' '.repeat(1024 * 1024)}`);
  await expect(readWiring(root, chip)).rejects.toThrow('over 1 MiB');
});
