import { ask, type Commands, type Procedure } from './commands.ts';
import type { Entries } from './entries.ts';
import { parameterOfMetric } from './metrics.ts';
import { choiceOption, readOptions, textOption } from './options.ts';
import { idList, unique } from './targets.ts';
import { show } from './values.ts';

interface Filter {
  criteria: string;
  input: string[];
  output: string[];
}

/**
 * Logs the result of a filter. If no target passes, the flow ends, because nothing is left to work on.
 */
function filtered(
  { criteria, input, output }: Filter,
  { commands, entries }: { commands: Commands; entries: Entries },
): string[] {
  const pass_rate = input.length === 0 ? 0 : output.length / input.length;
  entries.record('filter', { criteria, input: input.length, output: output.length, pass_rate });
  entries.log(`filter "${criteria}": ${output.length} of ${input.length} targets pass`);
  if (output.length > 0) return output;
  throw commands.end(
    `The flow ended because none of ${input.length} targets passed the filter "${criteria}".`,
  );
}

/** `session.filter`: selects the targets that continue. */
export function createFilters(flow: { commands: Commands; entries: Entries }) {
  return {
    byStatus(stage: unknown): string[] {
      if (typeof stage !== 'object' || stage === null || !('passed' in stage) || !('failed' in stage)) {
        throw new TypeError(
          `session.filter.byStatus takes what session.run gave, as in byStatus(check), but got ${show(stage)}`,
        );
      }
      const passed = idList(stage.passed, 'session.filter.byStatus', 'check.passed');
      const failed = idList(stage.failed, 'session.filter.byStatus', 'check.failed');
      const name = 'name' in stage ? `targets of "${show(stage.name)}" that passed` : 'targets that passed';
      return filtered({ criteria: name, input: [...passed, ...failed], output: passed }, flow);
    },

    byMetric(targets: unknown, metric: unknown, threshold: unknown, given?: unknown): Procedure<string[]> {
      const call = 'session.filter.byMetric';
      const ids = unique(idList(targets, call, 'tuned.passed'));
      const name = textOption(metric, `${call}: metric`);
      if (typeof threshold !== 'number' || !Number.isFinite(threshold)) {
        throw new TypeError(`${call}: threshold must be a number, but got ${show(threshold)}`);
      }
      const measuredIn = choiceOption(
        readOptions(given, ['measured_in'], call)['measured_in'],
        ['this_run', 'any_run'],
        `${call}: measured_in`,
      );
      return byMetric({ ids, name, threshold, anyRun: measuredIn === 'any_run' }, flow);
    },
  };
}

/** Keeps targets whose value is at least the threshold. A target without a value does not pass. */
function* byMetric(
  wanted: { ids: string[]; name: string; threshold: number; anyRun: boolean },
  flow: { commands: Commands; entries: Entries },
): Procedure<string[]> {
  const { ids, name, threshold, anyRun } = wanted;
  const criteria = `${name} >= ${threshold}`;
  if (ids.length === 0) return filtered({ criteria, input: ids, output: [] }, flow);
  const { values, this_run } = yield* ask({
    kind: 'values',
    parameter: parameterOfMetric(name),
    targets: ids,
  });
  const output = ids.filter((id) => {
    const value = values[id] ?? null;
    return value !== null && value >= threshold && (anyRun || this_run.includes(id));
  });
  return filtered({ criteria, input: ids, output }, flow);
}
