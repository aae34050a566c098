import { LineCounter, parseDocument } from 'yaml';
import { z } from 'zod';
import { messageOf } from '../../kernel/errors.ts';
import { type BoxType, type MuxWiring, muxWiring, SchedulingError, type Wiring } from './model.ts';

/** `chip_id: [entries]`, or groups of any name with a list each. */
const wiringFile = z.record(z.string(), z.array(z.unknown(), 'must be a list of multiplexers'));

/**
 * Reads the text of a chip's `wiring.yaml`. If the chip's id is a top-level name, only its list counts. Otherwise the
 * lists of all groups count.
 * @param muxIds ids of the chip's multiplexers. If given, an entry for any other multiplexer is refused.
 * @throws SchedulingError that lists every mistake
 */
export function parseWiring(text: string, chipId: string, muxIds?: readonly string[]): Wiring {
  const groups = wiringFile.safeParse(parseYaml(text));
  if (!groups.success)
    throw mistakes([`the file is not "${chipId}: [entries]" and not groups with a list each`]);
  const own = Object.hasOwn(groups.data, chipId) ? groups.data[chipId] : undefined;
  const lists = own ? [[chipId, own] as const] : Object.entries(groups.data);
  const wiring: Wiring = {};
  const found: string[] = [];
  for (const [group, entries] of lists) {
    for (const [index, entry] of entries.entries()) {
      const place = `entry ${index + 1} of ${group}`;
      const read = muxWiring.safeParse(entry);
      if (!read.success) {
        found.push(
          ...read.error.issues.map(({ path, message }) => `${[place, ...path].join(', ')}: ${message}`),
        );
        continue;
      }
      const id = String(read.data.mux);
      if (wiring[id]) found.push(`${place}: MUX ${id} has an entry already`);
      if (muxIds && !muxIds.includes(id)) found.push(`${place}: the chip has no MUX ${id}`);
      wiring[id] = read.data;
    }
  }
  if (found.length > 0) throw mistakes(found);
  return wiring;
}

function parseYaml(text: string): unknown {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false });
  if (document.errors.length > 0) {
    throw mistakes(
      document.errors.map(({ pos, message }) => `line ${lineCounter.linePos(pos[0]).line}: ${message}`),
    );
  }
  try {
    return document.toJS();
  } catch (thrown) {
    throw mistakes([messageOf(thrown)]); // aliases that would blow the file up
  }
}

function mistakes(found: readonly string[]): SchedulingError {
  return new SchedulingError(`wiring.yaml cannot be used: ${found.join('; ')}.`);
}

/** `R21B` of the port `R21B-5`. */
function moduleOf(port: string): string {
  return port.slice(0, port.lastIndexOf('-'));
}

/** The modules that a multiplexer uses, with the purposes of each. */
function modulesOf({ ctrl, read_out, read_in, pump }: MuxWiring): Map<string, string[]> {
  const uses: [role: string, port: string | null][] = [
    ...ctrl.map((port): [string, string] => ['control', port]),
    ['readout', read_out],
    ['read-in', read_in],
    ['pump', pump],
  ];
  const modules = new Map<string, string[]>();
  for (const [role, port] of uses) {
    if (!port) continue;
    const roles = modules.get(moduleOf(port)) ?? [];
    if (!roles.includes(role)) roles.push(role);
    modules.set(moduleOf(port), roles);
  }
  return modules;
}

/** The type follows from the last letter of the modules' names, whatever their purpose. */
export function boxTypeOf(wiring: Wiring | null, mux: string): BoxType {
  const entry = wiring?.[mux];
  const letters = new Set(entry ? [...modulesOf(entry).keys()].map((module) => module.at(-1)) : []);
  const boxes = (['A', 'B'] as const).filter((letter) => letters.has(letter));
  const [only, other] = boxes;
  return only && !other ? only : 'MIXED';
}

/** Names of the modules of a multiplexer; none if its wiring is not known. */
export function muxModules(wiring: Wiring | null): (mux: string) => string[] {
  const modules = new Map(
    Object.entries(wiring ?? {}).map(([mux, entry]) => [mux, [...modulesOf(entry).keys()]]),
  );
  return (mux) => modules.get(mux) ?? [];
}

/** The reason why two multiplexers cannot be driven at the same time; null if they can. */
export type MuxConflict = (one: string, other: string) => string | null;

/**
 * Multiplexers conflict if they share a module, whatever its purpose: a module plays one sequence at a time on all its
 * ports.
 */
export function muxConflicts(wiring: Wiring | null): MuxConflict {
  const modules = new Map(Object.entries(wiring ?? {}).map(([mux, entry]) => [mux, modulesOf(entry)]));
  return (one, other) => {
    const others = modules.get(other);
    for (const [module, roles] of modules.get(one) ?? []) {
      const otherRoles = others?.get(module);
      if (otherRoles) return sharing(module, [one, roles], [other, otherRoles]);
    }
    return null;
  };
}

function sharing(module: string, one: [string, string[]], other: [string, string[]]): string {
  const [first, second] = [one, other].map(([mux, roles]) => `MUX ${mux} for ${roles.join(' and ')}`);
  return `${first} and ${second} use the module ${module}.`;
}
