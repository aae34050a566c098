import type { SessionCallName } from '../../../shared/domain/flows/session-rules.ts';
import type { PlannerSetup } from '../protocol.ts';
import { approvalRequest } from './approvals.ts';
import { ask, type Commands, type Procedure } from './commands.ts';
import type { Entries } from './entries.ts';
import { createFilters } from './filters.ts';
import type { Lines } from './lines.ts';
import { maintain, maintainRequest } from './maintain.ts';
import { parameterOfMetric } from './metrics.ts';
import { textOption } from './options.ts';
import { pairGroups, pairScheduleRequest, schedulePairs } from './pair-schedule.ts';
import { type StageRequest, stageRequest } from './stage-request.ts';
import { presetRequest, retry, retryRequest, runStage, type StagePreset, twoQubitRequest } from './stages.ts';
import { strictMembers } from './strict-members.ts';
import { createTargets, idList, unique } from './targets.ts';
import { bringUpTasks, checkTasks, fineTuneTasks } from './task-lists.ts';
import { deepFreeze, show } from './values.ts';

const bringUp: StagePreset = {
  call: 'session.bringUp',
  name: 'Bring-up',
  tasks: { full: bringUpTasks },
  mode: 'scheduled',
};
const oneQubitCheck: StagePreset = {
  call: 'session.oneQubitCheck',
  name: 'One-qubit check',
  tasks: checkTasks,
  mode: 'synchronized',
};
const oneQubitFineTune: StagePreset = {
  call: 'session.oneQubitFineTune',
  name: 'One-qubit fine-tune',
  tasks: fineTuneTasks,
  mode: 'synchronized',
};

/** The argument of the flow's function: `Session` of calibron.d.ts. */
export function createSession(
  { context, limits }: PlannerSetup,
  { commands, entries, lines }: { commands: Commands; entries: Entries; lines: Lines },
): object {
  deepFreeze(context.parameters);
  const filters = createFilters({ commands, entries });
  const log = (message: string) => entries.log(message);
  let maintenances = 0;
  const carryOut = <T>(procedure: Procedure<T>, what: string) =>
    commands.carryOut(procedure, what, lines.ofCaller());
  const stage = (request: StageRequest) =>
    carryOut(runStage(request, context, log), `stage "${request.name}"`);
  const preset = (preset: StagePreset) => (targets: unknown, options?: unknown) =>
    stage(presetRequest(preset, targets, options, context));

  const calls = {
    run: (given: unknown) => stage(stageRequest(given, context, 'session.run')),
    bringUp: preset(bringUp),
    oneQubitCheck: preset(oneQubitCheck),
    oneQubitFineTune: preset(oneQubitFineTune),
    twoQubit: (schedule: unknown, options?: unknown) => stage(twoQubitRequest(schedule, options, context)),

    retry(given: unknown) {
      const request = retryRequest(given, context);
      return carryOut(retry(request, context, log), `the retries of "${request.stage.name}"`);
    },

    maintain(given: unknown) {
      const request = maintainRequest(given, context);
      const number = maintenances++;
      return carryOut(maintain(request, context, { entries, number }), 'the maintenance');
    },

    schedulePairs: (options?: unknown) =>
      carryOut(schedulePairs(pairScheduleRequest(options, context), log), 'the schedule of pairs'),

    values(parameter: unknown, targets: unknown) {
      const name = textOption(parameter, 'session.values: parameter');
      const ids = unique(idList(targets, 'session.values: targets', 'session.targets.all()'));
      return carryOut(valuesOf(name, ids), `the values of ${name}`);
    },

    sleep(seconds: unknown) {
      if (typeof seconds !== 'number' || !(seconds >= 0 && seconds <= limits.sleepSeconds)) {
        const range = `seconds from 0 to ${limits.sleepSeconds}`;
        throw new RangeError(`session.sleep takes ${range}, but got ${show(seconds)}`);
      }
      return carryOut(sleepFor(seconds), `the wait of ${seconds} s`);
    },

    approval: (given: unknown) => carryOut(approvalOf(approvalRequest(given, limits)), 'the approval'),

    end(message: unknown) {
      throw commands.end(textOption(message, 'session.end: message', limits.messageCharacters));
    },
    log: (...parts: unknown[]) => entries.log(...parts),
    record: (name: unknown, value: unknown) => entries.record(name, value),
  } satisfies Record<SessionCallName, (...given: never[]) => unknown>;

  const session = {
    chip: context.chip_id,
    parameters: context.parameters,
    targets: strictMembers('session.targets', {
      ...createTargets(context),
      pairGroups: (groups: unknown) => pairGroups(groups, context),
    }),
    filter: strictMembers('session.filter', {
      byStatus: filters.byStatus,
      byMetric: (targets: unknown, metric: unknown, threshold: unknown, options?: unknown) =>
        carryOut(filters.byMetric(targets, metric, threshold, options), `the filter by ${show(metric)}`),
    }),
    ...calls,
  };
  for (const part of Object.values(session)) Object.freeze(part);
  return strictMembers('session', session);
}

function* sleepFor(seconds: number): Procedure<undefined> {
  yield* ask({ kind: 'sleep', seconds });
}

function* valuesOf(metric: string, targets: string[]): Procedure<{ [target: string]: number | null }> {
  if (targets.length === 0) return {};
  const answer = yield* ask({ kind: 'values', parameter: parameterOfMetric(metric), targets });
  return answer.values;
}

function* approvalOf(command: ReturnType<typeof approvalRequest>) {
  const { answer, answered_by, expired } = yield* ask(command);
  return { answer, answered_by, expired };
}
