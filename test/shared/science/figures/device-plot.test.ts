import { loadImage } from '@napi-rs/canvas';
import { expect, test } from 'vitest';
import { plotDevice } from '../../../../shared/science/figures/device-plot.ts';
import { generatedTopology } from '../../../../shared/science/topology/rules.ts';

function lattice(size: number) {
  const topology = generatedTopology(`square-lattice-mux-${size}`);
  if (!topology) throw new Error(`no lattice of ${size}`);
  const qubits = Object.entries(topology.qubits).map(([qid, { row, col }], index) => ({
    id: Number(qid),
    physical_id: Number(qid),
    position: { x: (col * 50) / 30, y: (-row * 50) / 30 },
    fidelity: 0.9 + 0.09 * (index / size),
  }));
  const couplings = topology.couplings.map(([control, target]) => ({ control, target, fidelity: 0.95 }));
  return { name: 'anemone', qubits, couplings };
}

const sizeOf = async (given: Parameters<typeof plotDevice>[0]) => {
  const { width, height } = await loadImage(plotDevice(given));
  return { width, height };
};

test('the picture grows with the device, and never beyond 4,200 pixels a side', async () => {
  expect(await sizeOf(lattice(4))).toEqual({ width: 720, height: 720 });
  const middle = await sizeOf(lattice(64));
  expect(middle.width).toBeGreaterThan(1000);
  expect(middle.width).toBeLessThan(1500);
  const large = await sizeOf(lattice(1024));
  expect(Math.max(large.width, large.height)).toBeLessThanOrEqual(4200);
  // 32 neighbours are at least 100 pixels apart, which is enough for their texts.
  expect(large.width).toBeGreaterThan(32 * 100);
});

test('qubits at the same position, far apart or none at all are also drawn', async () => {
  const qubit = (id: number, x: number, y: number) => ({
    id,
    physical_id: id,
    position: { x, y },
    fidelity: 1,
  });
  const of = (...qubits: ReturnType<typeof qubit>[]) => sizeOf({ name: '', qubits, couplings: [] });
  expect(await of()).toEqual({ width: 720, height: 720 });
  expect(await of(qubit(0, 5, 5), qubit(1, 5, 5))).toEqual({ width: 720, height: 720 });
  const far = await of(qubit(0, 0, 0), qubit(1, 1e-9, 0), qubit(2, 1e12, 1e12));
  expect(Math.max(far.width, far.height)).toBeLessThanOrEqual(4200);
});
