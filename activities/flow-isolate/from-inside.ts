import { FLOW_LIMITS } from '../../shared/domain/flows/rules.ts';
import { jsonProblem } from '../../shared/kernel/json-bounds.ts';
import { wellFormedJson } from '../../shared/kernel/text.ts';

/** The planner's own frame stands around what a flow may nest: the outcome, its command or entries, one of them. */
const LEVELS_AROUND = 4;

/**
 * What a text says that comes out of an isolate: the one way out for anything that a flow made. It holds no half of a
 * surrogate pair any more; `problem` tells, as it goes on after its subject, why nobody may look at it, and then the
 * value is undefined.
 */
export function fromInside(text: string): { value: unknown; problem: string | null } {
  const value: unknown = JSON.parse(wellFormedJson(text));
  const { levels, values, keyCharacters } = FLOW_LIMITS;
  const problem = jsonProblem(value, { levels: levels + LEVELS_AROUND, values, keyCharacters });
  return problem ? { value: undefined, problem: problem.message } : { value, problem: null };
}
