import type { FlowContext } from '../protocol.ts';
import { show } from './values.ts';

/** The chip's qubits and couplings, as returned by `session.targets`. */
export function createTargets(context: FlowContext) {
  const { chip_id: chip, qubits: all, couplings, muxes, parameters } = context;

  function known(wanted: string[], ids: readonly string[], what: string): string[] {
    const there = new Set(ids);
    const unknown = unique(wanted).filter((id) => !there.has(id));
    if (unknown.length > 0) throw unknownTargets(unknown, what, chip, ids);
    return unique(wanted);
  }

  const targets = {
    all: () => [...all],
    couplings: () => [...couplings],

    qubits(ids: unknown): string[] {
      return known(idList(ids, 'session.targets.qubits', "['0', '1']"), all, 'qubit');
    },

    muxes(ids: unknown): string[] {
      const wanted = idList(ids, 'session.targets.muxes', '[0, 1]');
      return known(wanted, Object.keys(muxes), 'mux').flatMap((id) => muxes[id] ?? []);
    },

    pairs(pairs: unknown): string[] {
      return known(pairList(pairs, 'session.targets.pairs'), couplings, 'coupling');
    },

    chosen(): string[] {
      const { mux_ids, qids, exclude_qids } = parameters;
      const given = mux_ids ?? qids ?? all;
      const wanted = given === mux_ids ? targets.muxes(mux_ids) : targets.qubits(given);
      const excluded = targets.qubits(exclude_qids ?? []);
      const left = wanted.filter((id) => !excluded.includes(id));
      if (left.length > 0) return left;
      throw new Error(
        'no qubit is left to work on: mux_ids or qids is an empty list, or exclude_qids names all of them',
      );
    },
  };
  return targets;
}

/** `unknown qubits "77", "78"; chip "16Q" has 0, 1, 2 … 15` */
export function unknownTargets(
  unknown: string[],
  what: string,
  chip: string,
  ids: readonly string[],
): RangeError {
  const plural = unknown.length === 1 ? what : what === 'mux' ? 'muxes' : `${what}s`;
  const named = unknown.slice(0, 20).map((id) => `"${id}"`);
  const more = unknown.length > 20 ? ` and ${unknown.length - 20} more` : '';
  return new RangeError(
    `unknown ${plural} ${named.join(', ')}${more}; chip "${chip}" has ${listed(ids) || 'none'}`,
  );
}

/** Reads ids given by a flow; numbers become strings. */
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

/** Reads pairs given by a flow, `'0-1'` or `[0, 1]`, as ids of couplings. */
export function pairList(value: unknown, call: string): string[] {
  if (!Array.isArray(value)) {
    throw new TypeError(`${call} takes a list of pairs, such as ['0-1'], but got ${show(value)}`);
  }
  return value.map((pair: unknown) => {
    if (typeof pair === 'string') return pair;
    if (Array.isArray(pair) && pair.length === 2) return idList(pair, call, '[0, 1]').join('-');
    throw new TypeError(`${call}: a pair is written '0-1' or [0, 1], not ${show(pair)}`);
  });
}

export function unique(ids: readonly string[]): string[] {
  return [...new Set(ids)];
}

/** Formats ids for a message. */
export function listed(ids: readonly string[]): string {
  return ids.length <= 8 ? ids.join(', ') : `${ids.slice(0, 3).join(', ')} … ${ids[ids.length - 1]}`;
}
