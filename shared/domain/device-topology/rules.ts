import type { Topology } from '../../science/topology/model.ts';
import type { TargetValue } from '../chips/model.ts';
import type { Device, DeviceRequest, FidelityCondition } from './model.ts';

/** Defaults for values that are missing or too old. */
const FALLBACK = { fidelity: 0.25, lifetimeUs: 100, gateNs: 20 } as const;
/** Distance between neighbours in a device's coordinates. */
const PITCH = 50 / 30;
const DAY_MS = 24 * 3_600_000;

export const QUBIT_PARAMETERS = {
  fidelity: 'x90_gate_fidelity',
  t1: 't1',
  t2: 't2_echo',
  readout0: 'readout_fidelity_0',
  readout1: 'readout_fidelity_1',
  sx: 'drag_hpi_length',
  x: 'drag_pi_length',
} as const;
export const COUPLING_PARAMETERS = { fidelity: 'zx90_gate_fidelity', rzx90: 'zx90_gate_time' } as const;
/** A coupling with one of these parameters has a gate. */
export const GATE_PARAMETERS = ['cr_amplitude', COUPLING_PARAMETERS.rzx90] as const;

/** Known values of a chip's qubits and couplings, by id. */
export interface KnownValues {
  qubits: ReadonlyMap<string, Readonly<Record<string, TargetValue>>>;
  couplings: ReadonlyMap<string, Readonly<Record<string, TargetValue>>>;
  topology: Topology;
  now: Date;
}

type DeviceQubit = Device['qubits'][number] & { qid: string; readout: number };
interface DevicePair {
  control: string;
  target: string;
  fidelity: number;
  rzx90: number;
}

/** The requested part of a chip, renumbered in the order of the request. */
export function deviceOf(request: DeviceRequest, known: KnownValues): Pick<Device, 'qubits' | 'couplings'> {
  const { condition } = request;
  const numbers = [...new Set(request.qubits.map((qid) => String(Number(qid.replace(/^Q/, '')))))];
  const asked = numbers.flatMap((qid) => {
    const values = known.qubits.get(qid);
    const place = known.topology.qubits[qid];
    return values && place ? [qubitOf({ qid, place }, values, condition, known.now)] : [];
  });
  const good = asked.filter(
    ({ fidelity, readout }) =>
      within(fidelity, condition.qubit_fidelity) && within(readout, condition.readout_fidelity),
  );
  const pairs = pairsOf(request, known, good);
  const kept = condition.only_maximum_connected ? largestConnected(good, pairs) : good;
  const ids = new Map(kept.map(({ qid }, id) => [qid, id]));
  const left = Math.min(...kept.map(({ position }) => position.x));
  const low = Math.min(...kept.map(({ position }) => position.y));
  return {
    qubits: kept.map(({ qid: _qid, readout: _readout, position, ...qubit }, id) => ({
      ...qubit,
      id,
      position: { x: position.x - left, y: position.y - low },
    })),
    couplings: pairs.flatMap(({ control, target, fidelity, rzx90 }) => {
      const ends = { control: ids.get(control), target: ids.get(target) };
      if (ends.control === undefined || ends.target === undefined) return [];
      return [{ control: ends.control, target: ends.target, fidelity, gate_duration: { rzx90 } }];
    }),
  };
}

function qubitOf(
  { qid, place }: { qid: string; place: { row: number; col: number } },
  values: Readonly<Record<string, TargetValue>>,
  condition: DeviceRequest['condition'],
  now: Date,
): DeviceQubit {
  const ofQubit = (name: string, otherwise: number) =>
    numberIn(values[name], condition.qubit_fidelity.is_within_24h, now) ?? otherwise;
  const ofReadout = (name: string) =>
    numberIn(values[name], condition.readout_fidelity.is_within_24h, now) ?? FALLBACK.fidelity;
  const [readout0, readout1] = [ofReadout(QUBIT_PARAMETERS.readout0), ofReadout(QUBIT_PARAMETERS.readout1)];
  const readout = (readout0 + readout1) / 2;
  return {
    qid,
    readout,
    id: 0,
    physical_id: Number(qid),
    position: { x: place.col * PITCH, y: -place.row * PITCH },
    fidelity: ofQubit(condition.qubit_fidelity.metric ?? QUBIT_PARAMETERS.fidelity, FALLBACK.fidelity),
    meas_error: {
      prob_meas1_prep0: 1 - readout0,
      prob_meas0_prep1: 1 - readout1,
      readout_assignment_error: 1 - readout,
    },
    qubit_lifetime: {
      t1: ofQubit(QUBIT_PARAMETERS.t1, FALLBACK.lifetimeUs),
      t2: ofQubit(QUBIT_PARAMETERS.t2, FALLBACK.lifetimeUs),
    },
    gate_duration: {
      rz: 0,
      sx: lengthOf(values[QUBIT_PARAMETERS.sx]),
      x: lengthOf(values[QUBIT_PARAMETERS.x]),
    },
  };
}

/** The couplings with a gate between qubits of the device, in the requested direction and with the requested fidelity. */
function pairsOf(
  { condition, exclude_couplings }: DeviceRequest,
  { couplings, topology, now }: KnownValues,
  qubits: readonly DeviceQubit[],
): DevicePair[] {
  const order = new Map(qubits.map(({ qid }, index) => [qid, index]));
  const excluded = new Set(exclude_couplings.map((pair) => undirected(pair.replaceAll('Q', ''))));
  const design = new Set(topology.couplings.map(([control, target]) => `${control}-${target}`));
  const { metric, is_within_24h } = condition.coupling_fidelity;
  return [...couplings]
    .flatMap(([pair, values]): DevicePair[] => {
      const [control = '', target = ''] = pair.split('-');
      if (!order.has(control) || !order.has(target) || excluded.has(undirected(pair))) return [];
      if (!GATE_PARAMETERS.some((name) => numberIn(values[name], false, now) !== null)) return [];
      if (condition.cr_direction === 'forward' && !design.has(pair)) return [];
      if (condition.cr_direction === 'inverse' && !design.has(`${target}-${control}`)) return [];
      const stored = values[metric ?? COUPLING_PARAMETERS.fidelity];
      const fidelity = numberIn(stored, is_within_24h, now) ?? FALLBACK.fidelity;
      const rzx90 = lengthOf(values[COUPLING_PARAMETERS.rzx90]);
      return within(fidelity, condition.coupling_fidelity) ? [{ control, target, fidelity, rzx90 }] : [];
    })
    .sort((a, b) => (order.get(a.control) ?? 0) - (order.get(b.control) ?? 0));
}

/** The largest connected part of the device, the first if there are several; the whole device if nothing is coupled. */
function largestConnected(qubits: readonly DeviceQubit[], pairs: readonly DevicePair[]): DeviceQubit[] {
  if (pairs.length === 0) return [...qubits];
  const neighbours = new Map(qubits.map(({ qid }) => [qid, new Set<string>()]));
  for (const { control, target } of pairs) {
    neighbours.get(control)?.add(target);
    neighbours.get(target)?.add(control);
  }
  let largest = new Set<string>();
  const seen = new Set<string>();
  for (const { qid } of qubits) {
    if (seen.has(qid)) continue;
    const part = new Set([qid]);
    // Iterating a set also visits elements that are added during the iteration.
    for (const reached of part) for (const next of neighbours.get(reached) ?? []) part.add(next);
    for (const reached of part) seen.add(reached);
    if (part.size > largest.size) largest = part;
  }
  return qubits.filter(({ qid }) => largest.has(qid));
}

/** Time of the newest calibration among the values of a device; null if there are none. */
export function newestCalibration({ qubits, couplings }: KnownValues): string | null {
  const times = [...qubits.values(), ...couplings.values()].flatMap((values) =>
    Object.values(values).flatMap(({ calibrated_at }) => (calibrated_at ? [calibrated_at] : [])),
  );
  return times.reduce<string | null>((newest, time) => (newest && newest >= time ? newest : time), null);
}

function undirected(pair: string): string {
  return pair
    .split('-')
    .map(Number)
    .sort((a, b) => a - b)
    .join('-');
}

function within(value: number, { min, max }: FidelityCondition): boolean {
  return value >= min && value <= max;
}

function numberIn(stored: TargetValue | undefined, onlyNew: boolean, now: Date): number | null {
  const value = stored?.value;
  if (typeof value !== 'number' || !Number.isFinite(value)) return null;
  if (!onlyNew) return value;
  const at = stored?.calibrated_at ? new Date(stored.calibrated_at).getTime() : Number.NaN;
  return now.getTime() - at <= DAY_MS ? value : null;
}

function lengthOf(stored: TargetValue | undefined): number {
  const value = stored?.value;
  return typeof value === 'number' && Number.isFinite(value) ? Math.round(value) : FALLBACK.gateNs;
}
