import { createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import { FONT_FAMILY } from './font.ts';
import { isDarkViridis, viridisAt } from './viridis.ts';

/** Qubits and couplings of a device with their fidelities, 0 to 1. Couplings refer to qubits by these ids. */
export interface PlottedDevice {
  name: string;
  qubits: readonly {
    id: number;
    physical_id: number;
    position: { x: number; y: number };
    fidelity: number;
  }[];
  couplings: readonly { control: number; target: number; fidelity: number }[];
}

/** Pixels between neighbours in a small picture, and the maximum length of a side. */
const PITCH = 130;
const LONGEST_SIDE = 4200;
const SHORTEST_SIDE = 720;
/** Pixels around the qubits, and above them for the title. */
const MARGIN = 110;
const HEADER = 110;
const BAR = { width: 26, room: 150 };
const TEXT = '#222222';

interface Place {
  x: number;
  y: number;
}

/** Draws a device: qubits coloured by fidelity, couplings as lines. PNG, at most 4,200 pixels a side. */
export function plotDevice(device: PlottedDevice): Buffer {
  const { qubits } = device;
  const places = placesOf(qubits.map(({ position }) => position));
  const width = Math.round(Math.max(SHORTEST_SIDE, places.width + 2 * MARGIN + BAR.room));
  const height = Math.round(Math.max(SHORTEST_SIDE, places.height + 2 * MARGIN + HEADER));
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d');
  context.fillStyle = '#ffffff';
  context.fillRect(0, 0, width, height);
  const origin = {
    x: (width - BAR.room - places.width) / 2,
    y: HEADER + (height - HEADER - places.height) / 2,
  };
  const at = new Map(
    qubits.map(({ id }, index) => {
      const place = places.of[index] ?? { x: 0, y: 0 };
      return [id, { x: origin.x + place.x, y: origin.y + place.y }] as const;
    }),
  );
  const scale = scaleOf(qubits.map(({ fidelity }) => fidelity));
  const radius = Math.max(2, 0.31 * places.pitch);
  drawCouplings(context, device.couplings, at, radius);
  for (const qubit of qubits) {
    const place = at.get(qubit.id);
    if (place) drawQubit(context, qubit, { ...place, radius }, scale.partOf(qubit.fidelity));
  }
  drawTitle(context, device, width - BAR.room);
  if (qubits.length > 0) drawBar(context, scale, width, height);
  return canvas.encodeSync('png');
}

/** Positions in pixels, y downwards. Nearest neighbours are one pitch apart if the picture is large enough. */
function placesOf(positions: readonly Place[]) {
  if (positions.length === 0) return { of: [], width: 0, height: 0, pitch: PITCH };
  const [left, right] = boundsOf(positions.map(({ x }) => x));
  const [low, high] = boundsOf(positions.map(({ y }) => y));
  const room = LONGEST_SIDE - 2 * MARGIN - Math.max(BAR.room, HEADER);
  const nearest = nearestDistance(positions);
  const longest = Math.max(right - left, high - low);
  const scale =
    longest === 0 ? 1 : Math.min(nearest > 0 ? PITCH / nearest : Number.POSITIVE_INFINITY, room / longest);
  return {
    of: positions.map(({ x, y }) => ({ x: (x - left) * scale, y: (high - y) * scale })),
    width: (right - left) * scale,
    height: (high - low) * scale,
    pitch: Math.min(PITCH, nearest > 0 ? nearest * scale : PITCH),
  };
}

function boundsOf(values: readonly number[]): [number, number] {
  return values.reduce<[number, number]>(
    ([low, high], value) => [Math.min(low, value), Math.max(high, value)],
    [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
  );
}

/** The smallest distance of two qubits at different positions; 0 if there are none. */
function nearestDistance(positions: readonly Place[]): number {
  const sorted = [...positions].sort((a, b) => a.x - b.x);
  let nearest = Number.POSITIVE_INFINITY;
  for (const [index, a] of sorted.entries()) {
    for (let other = index + 1; other < sorted.length; other += 1) {
      const b = sorted[other];
      if (!b || b.x - a.x >= nearest) break;
      const distance = Math.hypot(a.x - b.x, a.y - b.y);
      if (distance > 0) nearest = Math.min(nearest, distance);
    }
  }
  return Number.isFinite(nearest) ? nearest : 0;
}

function scaleOf(values: readonly number[]) {
  const [min, max] = values.length > 0 ? boundsOf(values) : [0, 1];
  return { min, max, partOf: (value: number) => (max > min ? (value - min) / (max - min) : 0.5) };
}

function drawCouplings(
  context: SKRSContext2D,
  couplings: PlottedDevice['couplings'],
  at: ReadonlyMap<number, Place>,
  radius: number,
): void {
  const label = Math.round(radius * 0.3);
  // Both directions share one line, labelled with the last one.
  const lines = new Map(
    couplings.map((each) => [[each.control, each.target].sort((a, b) => a - b).join('-'), each]),
  );
  const ends = [...lines.values()].flatMap(({ control, target, fidelity }) => {
    const [from, to] = [at.get(control), at.get(target)];
    return from && to ? [{ from, to, fidelity }] : [];
  });
  context.strokeStyle = '#9aa4ad';
  context.lineWidth = Math.max(1, radius * 0.22);
  for (const { from, to } of ends) {
    context.beginPath();
    context.moveTo(from.x, from.y);
    context.lineTo(to.x, to.y);
    context.stroke();
  }
  if (label < 7) return;
  context.font = `${label}px "${FONT_FAMILY}"`;
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  for (const { from, to, fidelity } of ends) {
    const [x, y] = [(from.x + to.x) / 2, (from.y + to.y) / 2];
    const text = (100 * fidelity).toFixed(1);
    const half = context.measureText(text).width / 2 + 3;
    context.fillStyle = '#ffffff';
    context.fillRect(x - half, y - label * 0.7, 2 * half, label * 1.4);
    context.fillStyle = TEXT;
    context.fillText(text, x, y);
  }
}

function drawQubit(
  context: SKRSContext2D,
  { physical_id, fidelity }: PlottedDevice['qubits'][number],
  { x, y, radius }: Place & { radius: number },
  part: number,
): void {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fillStyle = viridisAt(part);
  context.fill();
  const size = Math.round(radius * 0.46);
  if (size < 6) return;
  context.fillStyle = isDarkViridis(part) ? '#ffffff' : '#111111';
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.font = `bold ${size}px "${FONT_FAMILY}"`;
  context.fillText(`Q${physical_id}`, x, y - size * 0.55);
  context.font = `${Math.round(size * 0.78)}px "${FONT_FAMILY}"`;
  context.fillText((100 * fidelity).toFixed(2), x, y + size * 0.6);
}

function drawTitle(context: SKRSContext2D, { name, qubits, couplings }: PlottedDevice, width: number): void {
  const pairs = new Set(
    couplings.map(({ control, target }) => [control, target].sort((a, b) => a - b).join('-')),
  );
  context.fillStyle = TEXT;
  context.textAlign = 'center';
  context.textBaseline = 'alphabetic';
  context.font = `bold 30px "${FONT_FAMILY}"`;
  context.fillText(name.toUpperCase().slice(0, 40), width / 2, 56, width - 40);
  context.font = `20px "${FONT_FAMILY}"`;
  const counts = `${qubits.length} qubits, ${pairs.size} couplings, fidelities in %`;
  context.fillText(counts, width / 2, 90, width - 40);
}

function drawBar(
  context: SKRSContext2D,
  { min, max }: { min: number; max: number },
  width: number,
  height: number,
): void {
  const [x, top, bottom] = [width - BAR.room + 20, HEADER + 40, height - 60];
  const steps = 200;
  for (let step = 0; step < steps; step += 1) {
    context.fillStyle = viridisAt(1 - step / (steps - 1));
    context.fillRect(x, top + (step * (bottom - top)) / steps, BAR.width, (bottom - top) / steps + 1);
  }
  context.fillStyle = TEXT;
  context.font = `18px "${FONT_FAMILY}"`;
  context.textAlign = 'left';
  context.textBaseline = 'middle';
  for (const [part, y] of [
    [1, top],
    [0.5, (top + bottom) / 2],
    [0, bottom],
  ] as const) {
    context.fillText((100 * (min + part * (max - min))).toFixed(2), x + BAR.width + 10, y);
  }
  context.textAlign = 'center';
  context.save();
  context.translate(x - 12, (top + bottom) / 2);
  context.rotate(-Math.PI / 2);
  context.fillText('qubit fidelity, %', 0, 0);
  context.restore();
}
