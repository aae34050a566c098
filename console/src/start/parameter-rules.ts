import type { Schemas } from '../api.ts';

type FlowParameter = Schemas['FlowParameter'];

/** Parameters that are entered as JSON, because each flow gives them a structure of its own. */
const STRUCTURED: readonly string[] = ['qubit_groups', 'pair_groups', 'tasks', 'attempts', 'list', 'any'];

export const isStructured = (parameter: FlowParameter) => STRUCTURED.includes(parameter.type);

/** Text that cannot be read as the value of its parameter; it is shown, and never sent. */
export class Unreadable {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** The value of a text that a person typed; nothing for an empty one. */
export function typedValue(parameter: FlowParameter, text: string): unknown {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  if (parameter.type === 'text') return text;
  try {
    return JSON.parse(trimmed);
  } catch {
    return parameter.type === 'tasks' ? trimmed.split(/[\s,]+/) : new Unreadable(text);
  }
}

/** What is wrong with a value, as a message; null for nothing. The service checks everything again. */
export function problemOf(parameter: FlowParameter, value: unknown): string | null {
  if (value instanceof Unreadable) {
    return isStructured(parameter) ? 'Enter it as JSON, such as ["0", "1"].' : 'Enter a number.';
  }
  if (value === undefined || value === null) {
    return parameter.required && parameter.default === undefined ? 'This is required.' : null;
  }
  if (parameter.type !== 'number' && parameter.type !== 'integer') return null;
  if (typeof value !== 'number') return 'Enter a number.';
  if (parameter.type === 'integer' && !Number.isInteger(value)) return 'Enter a whole number.';
  const { minimum, maximum } = parameter;
  if (minimum !== undefined && value < minimum) return `Enter at least ${minimum}.`;
  if (maximum !== undefined && value > maximum) return `Enter at most ${maximum}.`;
  return null;
}
