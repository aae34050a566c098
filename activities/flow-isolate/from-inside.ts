import { FLOW_LIMITS } from '../../shared/domain/flows/rules.ts';
import { jsonProblem } from '../../shared/kernel/json-bounds.ts';
import { wellFormedJson } from '../../shared/kernel/text.ts';

/** Nesting levels that the planner adds around values of a flow: the outcome, its command or entries, one entry. */
const LEVELS_AROUND = 4;

/**
 * Parses JSON that comes out of an isolate. All data from a flow pass through this function. The value contains no lone
 * surrogates. If the value must not be used, it is undefined, and `problem` is the reason, as the continuation of a sentence.
 */
export function fromInside(text: string): { value: unknown; problem: string | null } {
  const value: unknown = JSON.parse(wellFormedJson(text));
  const { levels, values, keyCharacters } = FLOW_LIMITS;
  const problem = jsonProblem(value, { levels: levels + LEVELS_AROUND, values, keyCharacters });
  return problem ? { value: undefined, problem: problem.message } : { value, problem: null };
}
