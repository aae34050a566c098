import { z } from 'zod';
import { boolean, timestamp } from '../../kernel/wire.ts';

/** More than any chip has. */
const MAX_QUBITS = 4096;
const MAX_COUPLINGS = 4 * MAX_QUBITS;

/** A list of numbers or strings; older clients send it in groups. */
const flat = <Item extends z.ZodType>(item: Item) =>
  z.preprocess((given) => (Array.isArray(given) ? given.flat() : given), z.array(item).max(MAX_QUBITS * 4));

const qubitId = z.string().regex(/^Q?\d{1,5}$/, 'must be the number of a qubit');
/** A group of exactly two ids is a pair, like `a-b`. */
const flatPairs = <Item extends z.ZodType>(pairs: Item) =>
  z.preprocess(
    (given) =>
      Array.isArray(given) ? given.map((group) => (isPair(group) ? group.join('-') : group)) : given,
    pairs,
  );
const isPair = (group: unknown): group is string[] =>
  Array.isArray(group) && group.length === 2 && group.every((id) => qubitId.safeParse(id).success);

const pairId = z.string().regex(/^Q?\d{1,5}-Q?\d{1,5}$/, 'must be two numbers of qubits with a - between');

export const condition = z.object({
  min: z.number(),
  max: z.number(),
  /** Older values count as missing. */
  is_within_24h: boolean()
    .nullable()
    .default(true)
    .transform((given) => given ?? true),
  /** Parameter used as the fidelity, instead of the default one. */
  metric: z.string().nullable().default(null),
});
export type FidelityCondition = z.infer<typeof condition>;

const anything = { min: 0, max: 1, is_within_24h: true, metric: null };
const ofFidelity = condition.nullish().transform((given) => given ?? anything);

const crDirection = z.enum(['forward', 'inverse', 'mix']);

/** Conditions for the parts of a device. `crDirection` is accepted for `cr_direction`. */
const deviceCondition = z.preprocess(
  (given) => {
    if (typeof given !== 'object' || given === null || !('crDirection' in given)) return given;
    const { crDirection: direction, ...rest } = given;
    return { cr_direction: direction, ...rest };
  },
  z.strictObject({
    coupling_fidelity: ofFidelity,
    qubit_fidelity: ofFidelity,
    readout_fidelity: ofFidelity,
    cr_direction: crDirection.nullish().transform((given) => given ?? ('mix' as const)),
    only_maximum_connected: boolean()
      .nullish()
      .transform((given) => given ?? true),
  }),
);

/** Body of POST /device-topology; the only body that rejects unknown keys. */
export const deviceRequest = z.strictObject({
  name: z
    .string()
    .max(200)
    .nullish()
    .transform((given) => given ?? 'anemone'),
  device_id: z
    .string()
    .max(200)
    .nullish()
    .transform((given) => given ?? 'anemone'),
  qubits: flat(qubitId)
    .nullish()
    .transform((given) => given ?? ['0', '1', '2', '3', '4', '5']),
  exclude_couplings: flatPairs(flat(pairId))
    .nullish()
    .transform((given) => given ?? []),
  condition: deviceCondition.nullish().transform((given) => given ?? deviceCondition.parse({})),
});
export type DeviceRequest = z.infer<typeof deviceRequest>;

export const deviceQubit = z.object({
  id: z.number().int(),
  physical_id: z.number().int(),
  position: z.object({ x: z.number(), y: z.number() }),
  fidelity: z.number(),
  meas_error: z.object({
    prob_meas1_prep0: z.number(),
    prob_meas0_prep1: z.number(),
    readout_assignment_error: z.number(),
  }),
  qubit_lifetime: z.object({ t1: z.number(), t2: z.number() }),
  gate_duration: z.object({ rz: z.number(), sx: z.number(), x: z.number() }),
});
export const deviceCoupling = z.object({
  control: z.number().int(),
  target: z.number().int(),
  fidelity: z.number(),
  gate_duration: z.object({ rzx90: z.number() }),
});

/** A device in the format that programs need to run on it. */
export const device = z
  .object({
    name: z.string().max(200),
    device_id: z.string().max(200),
    qubits: z.array(deviceQubit).max(MAX_QUBITS),
    couplings: z.array(deviceCoupling).max(MAX_COUPLINGS),
    calibrated_at: timestamp,
  })
  .meta({ id: 'Device' });
export type Device = z.infer<typeof device>;

/** Body of POST /device-topology/plot. */
export const plottedDevice = device.superRefine(({ qubits, couplings }, context) => {
  const known = new Set(qubits.map(({ id }) => id));
  for (const [index, { control, target }] of couplings.entries()) {
    for (const [end, id] of [
      ['control', control],
      ['target', target],
    ] as const) {
      if (known.has(id)) continue;
      context.addIssue({
        code: 'custom',
        path: ['couplings', index, end],
        message: `must be the id of one of the qubits; none has ${id}`,
      });
    }
  }
});
