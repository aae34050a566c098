import { mkdir, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { topologyText } from '../../../../scripts/topology-files.ts';
import { readSettings } from '../../../../shared/domain/settings.ts';
import { topologies as area } from '../../../../shared/domain/topologies/index.ts';
import { generatedTopology, SHIPPED_TOPOLOGIES } from '../../../../shared/science/topology/rules.ts';
import { openOwnAreas } from '../../../support/own-areas.ts';

let own: Awaited<ReturnType<typeof openOwnAreas>>;
let directory: string;

beforeAll(async () => {
  own = await openOwnAreas();
});
afterAll(() => own.close());
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'calibron-topologies-'));
  await mkdir(join(directory, 'topologies'));
});
afterEach(() => rm(directory, { recursive: true }));

const open = () => area.create({ ...own.kernel, settings: readSettings({ CONFIG_PATH: directory }) });
const write = (id: string, text: string) => writeFile(join(directory, 'topologies', `${id}.yaml`), text);
const ring = `id: ring-3
name: Three in a ring
grid_size: 2
num_qubits: 3
qubits: { 0: { row: 0, col: 0 }, 1: { row: 0, col: 1 }, 2: { row: 1, col: 0 } }
couplings: [[0, 1], [1, 2], [2, 0]]
`;

test.each(SHIPPED_TOPOLOGIES)('the shipped file of %s is what the generator writes', async (id) => {
  const generated = generatedTopology(id);
  if (!generated) throw new Error(`no ${id}`);
  const file = new URL(`../../../../config/topologies/${id}.yaml`, import.meta.url);
  expect(await readFile(file, 'utf8')).toBe(topologyText(generated));
  expect(await own.areas.topologies.read(id)).toEqual(generated);
});

test('lists what has a file by name, and by size', async () => {
  const all = await own.areas.topologies.list();
  // One of them is the lab's own.
  expect(all.map(({ id }) => id)).toEqual([...SHIPPED_TOPOLOGIES, 'square-lattice-mux-4'].sort());
  expect(await own.areas.topologies.list(16)).toEqual([
    { id: 'linear-16', name: 'Line of 16 qubits', num_qubits: 16 },
    {
      id: 'square-lattice-mux-16',
      name: 'Square lattice with multiplexers, 16 qubits',
      num_qubits: 16,
    },
  ]);
  expect(await own.areas.topologies.list(17)).toEqual([]);
});

test('a square lattice of another size needs no file', async () => {
  expect(await own.areas.topologies.find('square-lattice-mux-36')).toMatchObject({ num_qubits: 36 });
  expect(await own.areas.topologies.find('square-lattice-mux-35')).toBeNull();
});

test('an id is a name, never a path', async () => {
  await writeFile(join(directory, 'secret.yaml'), ring);
  const topologies = open();
  for (const id of ['../secret', `${directory}/secret`, '', '.', 'a/b', 'a\0']) {
    expect(await topologies.find(id), id).toBeNull();
  }
});

describe('a file of an operator', () => {
  test('may leave out what most have in common', async () => {
    await write('ring-3', ring);
    expect(await open().read('ring-3')).toMatchObject({
      description: '',
      layout_type: 'grid',
      direction_convention: 'unspecified',
      mux: { enabled: false, size: 2 },
      visualization: { show_mux_boundaries: false, region_size: 4 },
    });
  });

  test('counts before the shipped one, and again when it is edited', async () => {
    await write('linear-16', ring.replace('ring-3', 'linear-16'));
    const topologies = open();
    expect((await topologies.read('linear-16')).name).toBe('Three in a ring');
    await write('linear-16', ring.replace('ring-3', 'linear-16').replace('Three in a ring', 'Changed'));
    await utimes(join(directory, 'topologies', 'linear-16.yaml'), new Date(), new Date(Date.now() + 5000));
    expect((await topologies.read('linear-16')).name).toBe('Changed');
  });

  const wrong = [
    ['another id than its name', ring.replace('ring-3', 'ring-4')],
    ['fewer qubits than it says', ring.replace('num_qubits: 3', 'num_qubits: 4')],
    ['two qubits at one place', ring.replace('row: 1, col: 0', 'row: 0, col: 0')],
    ['a coupling to nowhere', ring.replace('[2, 0]', '[2, 9]')],
    ['a coupling of a qubit with itself', ring.replace('[2, 0]', '[2, 2]')],
    ['a coupling twice', ring.replace('[2, 0]', '[1, 0]')],
    ['a key that nobody knows', `${ring}colour: red\n`],
    ['a text that is no YAML', '{{{'],
  ] as const;

  test.each(wrong)('with %s is not used', async (_, text) => {
    await write('ring-3', text);
    const topologies = open();
    expect(await topologies.find('ring-3')).toBeNull();
    await expect(topologies.read('ring-3')).rejects.toMatchObject({ code: 'not_found' });
  });

  test('in which anything is wrong is not listed', async () => {
    const ids = wrong.map((_, index) => `wrong-${index}`);
    // The first has another id than its name as it is.
    for (const [index, [, text]] of wrong.entries())
      await write(`wrong-${index}`, index === 0 ? text : text.replace('ring-3', `wrong-${index}`));
    await write('ring-3', ring);
    const listed = (await open().list()).map(({ id }) => id);
    expect(listed).toContain('ring-3');
    for (const id of [...ids, 'ring-4']) expect(listed).not.toContain(id);
  });
});
