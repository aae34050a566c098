import type {
  PairScheduleAnswer,
  PairScheduleCommand,
  StageSchedule,
} from '../../../shared/domain/flows/model.ts';
import type { FlowContext } from '../protocol.ts';
import { ask, type Procedure } from './commands.ts';
import { choiceOption, countOption, flagOption, readOptions } from './options.ts';
import { createTargets, idList, pairList } from './targets.ts';
import { deepFreeze, show } from './values.ts';

/** The order in which pairs are calibrated: `PairSchedule` of the declarations. */
export interface PairSchedule {
  /** Groups run one after another; the pairs of a group run at the same time. */
  groups: string[][];
  pairs: string[];
  direction: string;
  excluded: PairScheduleAnswer['excluded'];
  excluded_count: number;
}

const PAIRS_AT_A_TIME = 10;

/** The command of `session.schedulePairs`. If undefined, all qubits are candidates; an empty list means none. */
export function pairScheduleRequest(given: unknown, context: FlowContext): PairScheduleCommand {
  const call = 'session.schedulePairs';
  const known = ['candidates', 'max_parallel_ops', 'inverse', 'strategy', 'spectators'];
  const options = readOptions(given, known, call);
  const strategies = ['intra_first', 'intra_then_inter'] as const;
  const strategy = choiceOption(options['strategy'], strategies, `${call}: strategy`);
  const candidates = options['candidates'] ?? context.qubits;
  return {
    kind: 'pair_schedule',
    candidates: createTargets(context).qubits(idList(candidates, `${call}: candidates`, "['0', '1']")),
    max_parallel_ops:
      countOption(options['max_parallel_ops'], `${call}: max_parallel_ops`) ?? PAIRS_AT_A_TIME,
    inverse: flagOption(options['inverse'], `${call}: inverse`),
    ...(strategy === undefined ? {} : { strategy }),
    ...(flagOption(options['spectators'], `${call}: spectators`) ? { spectators: true } : {}),
  };
}

/** Requests a schedule. With fewer than two candidates there are no pairs, so the result is empty without a command. */
export function* schedulePairs(
  command: PairScheduleCommand,
  log: (message: string) => void,
): Procedure<PairSchedule> {
  if (command.candidates.length < 2) {
    log(`no pairs: ${command.candidates.length} qubits are left, and a pair needs two`);
    return pairSchedule([], 'none', [], 0);
  }
  const { schedule, direction_method, excluded, excluded_count, notes } = yield* ask(command);
  const groups = schedule.map((step) => step.flat());
  const left = excluded_count === 0 ? '' : `; ${excluded_count} pairs are left out`;
  log(
    `${groups.flat().length} pairs in ${groups.length} groups, direction by ${direction_method}${left}. ${notes.join(' ')}`.trim(),
  );
  return pairSchedule(groups, direction_method, excluded, excluded_count);
}

/** `session.targets.pairGroups`: groups of pairs defined by the flow's author. */
export function pairGroups(given: unknown, context: FlowContext): PairSchedule {
  const call = 'session.targets.pairGroups';
  if (!Array.isArray(given)) {
    throw new TypeError(
      `${call} takes a list of groups, such as [['0-1', '2-3'], ['1-2']], but got ${show(given)}`,
    );
  }
  const groups = given.map((group: unknown) => pairList(group, call));
  createTargets(context).pairs(groups.flat());
  const steps = groups.filter((group) => group.length > 0).map((group) => group.map((pair) => [pair]));
  checkSchedule(steps, call);
  return pairSchedule(
    steps.map((step) => step.flat()),
    'as given',
    [],
    0,
  );
}

function pairSchedule(
  groups: string[][],
  direction: string,
  excluded: PairSchedule['excluded'],
  excluded_count: number,
): PairSchedule {
  const schedule = { groups, pairs: groups.flat(), direction, excluded, excluded_count };
  deepFreeze(schedule);
  return schedule;
}

/** Reads a schedule given by a flow: a pair schedule, or steps of lanes of targets. */
export function scheduleOf(given: unknown, call: string): StageSchedule {
  const groups: unknown =
    typeof given === 'object' && given !== null && 'groups' in given ? given.groups : undefined;
  const schedule = Array.isArray(groups)
    ? groups.map((group: unknown) => pairList(group, call).map((pair) => [pair]))
    : stepsOf(given, call);
  checkSchedule(schedule, call);
  return schedule;
}

function stepsOf(given: unknown, call: string): StageSchedule {
  const example = "steps of lanes of targets, such as [[['0', '1'], ['4']], [['2']]], or a pair schedule";
  const wrong = () => new TypeError(`${call}: schedule is ${example}, not ${show(given)}`);
  if (!Array.isArray(given)) throw wrong();
  return given.map((step: unknown) => {
    if (!Array.isArray(step)) throw wrong();
    return step.map((lane: unknown) => idList(lane, `${call}: a lane of schedule`, "['0', '1']"));
  });
}

/** Checks that every target occurs once, and that pairs which share a qubit are not measured at the same time. */
function checkSchedule(schedule: StageSchedule, call: string): void {
  const seen = new Set<string>();
  const twice = schedule.flat(2).filter((id) => seen.size === seen.add(id).size);
  if (twice.length > 0) {
    throw new RangeError(`${call}: schedule has ${twice.join(', ')} more than once; name every target once`);
  }
  for (const step of schedule) {
    const laneOf = new Map<string, { id: string; lane: readonly string[] }>();
    for (const lane of step) {
      for (const id of lane) {
        for (const qubit of id.split('-')) {
          const other = laneOf.get(qubit);
          if (other !== undefined && other.lane !== lane) {
            throw new RangeError(
              `${call}: ${other.id} and ${id} share qubit ${qubit} and cannot run at the same time; put them into different groups`,
            );
          }
          laneOf.set(qubit, { id, lane });
        }
      }
    }
  }
}
