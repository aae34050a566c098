import { muxOf } from '../../science/topology/rules.ts';
import type { JsonValue } from './model.ts';
import type { ParameterDeclarations, ParameterType } from './parameter-model.ts';

/** A chip with the ids that parameters of a run can name. */
export interface NamedChip {
  chip_id: string;
  qubits: readonly string[];
  couplings: readonly string[];
}

/** Maximum number of ids in one message, and of problems reported for one request. */
const NAMED_IDS = 10;
const MAX_PROBLEMS = 10;

type Part = 'qubits' | 'multiplexers' | 'couplings';

/** The kind of chip part that a parameter type names. */
const partOf: Partial<Record<ParameterType, Part>> = {
  qubits: 'qubits',
  qubit_groups: 'qubits',
  muxes: 'multiplexers',
  pairs: 'couplings',
  pair_groups: 'couplings',
};

/** Whether a flow declares parameters that name parts of a chip. */
export function namesParts(declarations: ParameterDeclarations | null): boolean {
  return Object.values(declarations ?? {}).some(({ type }) => partOf[type] !== undefined);
}

/** Problems of parameters that name parts which the chip does not have, as messages without full stop. */
export function partProblems(
  declarations: ParameterDeclarations | null,
  values: Readonly<Record<string, JsonValue>>,
  chip: NamedChip,
): string[] {
  const known: Record<Part, ReadonlySet<string>> = {
    qubits: new Set(chip.qubits),
    multiplexers: new Set(chip.qubits.map((qid) => String(muxOf(Number(qid))))),
    couplings: new Set(chip.couplings),
  };
  const problems = Object.entries(declarations ?? {}).flatMap(([name, { type }]) => {
    const part = partOf[type];
    const value = values[name];
    if (part === undefined || value === undefined) return [];
    const unknown = [...new Set(idsOf(value, part))].filter((id) => !known[part].has(id));
    if (unknown.length === 0) return [];
    const more = unknown.length > NAMED_IDS ? ` and ${unknown.length - NAMED_IDS} more` : '';
    const named = unknown.slice(0, NAMED_IDS).map((id) => id.slice(0, 64));
    return [`${name} names ${part} that chip ${chip.chip_id} has not: ${named.join(', ')}${more}`];
  });
  return problems.slice(0, MAX_PROBLEMS);
}

/** The ids in a value. A pair may be a string or a list of two qubits; both may be grouped in lists. */
function idsOf(value: JsonValue, part: Part): string[] {
  if (typeof value === 'string' || typeof value === 'number') return [String(value)];
  if (!Array.isArray(value)) return [];
  const isPair = part === 'couplings' && value.length === 2 && value.every(isQubit);
  return isPair ? [value.join('-')] : value.flatMap((each) => idsOf(each, part));
}

/** A qubit of a pair written as a list: a number, or a string without the dash of a coupling. */
function isQubit(value: JsonValue): boolean {
  return typeof value === 'number' || (typeof value === 'string' && !value.includes('-'));
}
