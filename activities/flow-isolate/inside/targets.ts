import type { FlowContext } from '../protocol.ts';
import { show } from './values.ts';

/** The chip's qubits, as `session.targets` gives them. */
export function createTargets(context: FlowContext) {
  const { chip_id: chip, qubits: all, muxes } = context;
  return Object.freeze({
    all: () => [...all],

    qubits(ids: unknown): string[] {
      const wanted = idList(ids, 'session.targets.qubits', "['0', '1']");
      for (const id of wanted) {
        if (!all.includes(id))
          throw new RangeError(`unknown qubit "${id}"; chip "${chip}" has ${listed(all)}`);
      }
      return unique(wanted);
    },

    muxes(ids: unknown): string[] {
      const wanted = idList(ids, 'session.targets.muxes', '[0, 1]');
      return unique(
        wanted.flatMap((id) => {
          const qubits = Object.hasOwn(muxes, id) ? muxes[id] : undefined;
          if (qubits !== undefined) return qubits;
          const known = listed(Object.keys(muxes)) || 'none';
          throw new RangeError(`unknown mux "${id}"; chip "${chip}" has ${known}`);
        }),
      );
    },
  });
}

/** Ids that a flow gives, numbers as texts. */
export function idList(value: unknown, call: string, example: string): string[] {
  if (!Array.isArray(value)) {
    throw new TypeError(`${call} takes a list of ids, such as ${example}, but got ${show(value)}`);
  }
  return value.map((id: unknown) => {
    if (typeof id !== 'string' && typeof id !== 'number') {
      throw new TypeError(`${call} takes a list of ids, but ${show(id)} is none`);
    }
    return String(id);
  });
}

export function unique(ids: string[]): string[] {
  return [...new Set(ids)];
}

/** Ids for a message. */
export function listed(ids: string[]): string {
  return ids.length <= 8 ? ids.join(', ') : `${ids.slice(0, 3).join(', ')} … ${ids[ids.length - 1]}`;
}
