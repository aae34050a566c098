import type { ApprovalCommand } from '../../../shared/domain/flows/model.ts';
import type { PlannerSetup } from '../protocol.ts';
import { choiceOption, readOptions, textOption } from './options.ts';
import { show } from './values.ts';

/** Validates the arguments of `session.approval`. */
export function approvalRequest(given: unknown, limits: PlannerSetup['limits']): ApprovalCommand {
  const call = 'session.approval';
  const asked = readOptions(given, ['question', 'options', 'deadline_seconds', 'default'], call);
  const options: unknown = asked['options'] ?? ['yes', 'no'];
  if (!Array.isArray(options) || options.length === 0 || new Set(options).size < options.length) {
    throw new TypeError(
      `${call}: options is a list of different answers, such as ['yes', 'no'], not ${show(options)}`,
    );
  }
  const texts = options.map((option: unknown) => textOption(option, `${call}: an option`));
  const seconds = asked['deadline_seconds'];
  if (typeof seconds !== 'number' || !(seconds > 0 && seconds <= limits.sleepSeconds)) {
    throw new RangeError(
      `${call}: deadline_seconds must be above 0 and at most ${limits.sleepSeconds}, but got ${show(seconds)}`,
    );
  }
  const otherwise = choiceOption(asked['default'], texts, `${call}: default`);
  if (otherwise === undefined) {
    throw new TypeError(
      `${call}: default says which of ${texts.join(', ')} holds when nobody answers in time`,
    );
  }
  return {
    kind: 'approval',
    question: textOption(asked['question'], `${call}: question`, limits.messageCharacters),
    options: texts,
    deadline_seconds: seconds,
    default: otherwise,
  };
}
