import type { ExecutionId, ProjectId } from '../../kernel/ids.ts';
import { inParts } from '../../kernel/parts.ts';
import type { TaskResultStore, TaskTimes } from '../results/index.ts';
import type { CommandStore } from './command-store.ts';
import type { ExecutionDocument } from './model.ts';
import type { ExecutionStore, ExecutionWithTimes } from './store.ts';
import type { ChipTime, ExecutionTime } from './time-model.ts';
import { timelineAsSvg } from './time-picture.ts';
import {
  type ChipTimePart,
  type ClaimedSpan,
  chipTimeParts,
  partOfWait,
  partsOf,
  partsOfSlices,
  partsOfTime,
  segmentsOf,
  timeParts,
} from './time-rules.ts';

const MS_PER_SECOND = 1000;
const MS_PER_HOUR = 3_600_000;
const SLICE = { hour: MS_PER_HOUR, day: 24 * MS_PER_HOUR };
/** Executions whose commands are read together. */
const READ_TOGETHER = 100;

interface Stretch {
  from: Date;
  to: Date;
}

type CommandTimes = Awaited<ReturnType<CommandStore['times']>>;

/** What claims the time of an execution, apart from its tasks and commands. */
export function* spansOfWaits(execution: ExecutionWithTimes): Generator<ClaimedSpan> {
  const { created_at, start_at, end_at, waiting, preempted, paused, waits = [] } = execution;
  yield { part: 'idle', from: created_at, to: end_at };
  yield { part: 'lock', from: created_at, to: start_at };
  for (const { kind, from, to } of waits) {
    const part = kind === 'resume' ? 'people' : partOfWait(kind);
    if (part) yield { part, from, to };
  }
  const waited = waiting && partOfWait(waiting.kind);
  if (waited) yield { part: waited, from: new Date(waiting.since), to: end_at };
  if (preempted) yield { part: 'lock', from: new Date(preempted.since), to: end_at };
  if (paused) yield { part: 'people', from: new Date(paused.at), to: end_at };
}

/** What commands of flows claim; one that was not answered claims the time until its execution ended. */
export function* spansOfCommands(
  commands: CommandTimes,
  endOf: (executionId: ExecutionId) => Date | null,
): Generator<ClaimedSpan> {
  for (const { kind, execution_id, created_at: from, answered_at } of commands) {
    const to = answered_at ?? endOf(execution_id);
    if (kind === 'stage') yield { part: 'engine', from, to };
    if (kind === 'approval') yield { part: 'people', from, to };
  }
}

function* spansOfTask({ start_at, end_at, closed_at }: TaskTimes): Generator<ClaimedSpan> {
  if (start_at) yield { part: 'instrument', from: start_at, to: end_at };
  if (end_at) yield { part: 'analysis', from: end_at, to: closed_at ?? end_at };
}

function shares<Part extends ChipTimePart>(parts: readonly Part[], spent: Record<Part, number>) {
  const total = parts.reduce((sum, part) => sum + spent[part], 0);
  return parts.map((part) => ({
    part,
    seconds: spent[part] / MS_PER_SECOND,
    share: total === 0 ? 0 : spent[part] / total,
  }));
}

/** Begin and end of equal slices of a stretch; the last one may be shorter. */
function edgesOf({ from, to }: Stretch, length: number): number[] {
  const edges = [from.getTime()];
  for (let at = from.getTime() + length; at < to.getTime(); at += length) edges.push(at);
  return [...edges, to.getTime()];
}

const isoOf = (milliseconds: number | undefined) => new Date(milliseconds ?? 0).toISOString();

/** Accounts for the time of executions and chips, from what is stored of them. */
export function createTimeAccount({
  executions,
  commands,
  results,
  timezone,
}: {
  executions: ExecutionStore;
  commands: CommandStore;
  results: TaskResultStore;
  /** For the times on pictures. */
  timezone: string;
}) {
  async function spansOfExecution(execution: ExecutionDocument): Promise<ClaimedSpan[]> {
    const { project_id, execution_id, end_at } = execution;
    const times = await commands.times(project_id, [execution_id]);
    const spans = [...spansOfWaits(execution), ...spansOfCommands(times, () => end_at)];
    for await (const task of results.timesOfExecution(project_id, execution_id)) {
      spans.push(...spansOfTask(task));
    }
    return spans;
  }

  async function spansOfChip(projectId: ProjectId, chipId: string, stretch: Stretch) {
    const spans: ClaimedSpan[] = [];
    const ends = new Map<ExecutionId, Date | null>();
    let first = stretch.to;
    for await (const execution of executions.openWithin(projectId, chipId, stretch)) {
      spans.push(...spansOfWaits(execution));
      ends.set(execution.execution_id, execution.end_at);
      if (execution.created_at < first) first = execution.created_at;
    }
    for (const ids of inParts([...ends.keys()], READ_TOGETHER)) {
      const times = await commands.times(projectId, ids);
      spans.push(...spansOfCommands(times, (id) => ends.get(id) ?? null));
    }
    for await (const task of results.timesOfChip(projectId, chipId, { from: first, to: stretch.to })) {
      spans.push(...spansOfTask(task));
    }
    return { spans, runs: ends.size };
  }

  const wholeOf = ({ created_at, end_at }: ExecutionDocument, now: Date): Stretch => ({
    from: created_at,
    to: end_at ?? now,
  });

  return {
    /** Where the time of an execution went. */
    async time(execution: ExecutionDocument, now: Date): Promise<ExecutionTime> {
      const whole = wholeOf(execution, now);
      const parts = shares(timeParts, partsOfTime(whole, await spansOfExecution(execution)));
      return {
        execution_id: execution.execution_id,
        from: whole.from.toISOString(),
        to: whole.to.toISOString(),
        is_open: execution.end_at === null,
        seconds: parts.reduce((sum, { seconds }) => sum + seconds, 0),
        parts,
      };
    },

    /** The same as an SVG. */
    async timePicture(execution: ExecutionDocument, now: Date): Promise<string> {
      const whole = wholeOf(execution, now);
      const title = `Execution ${execution.execution_id}`;
      const segments = segmentsOf(whole, await spansOfExecution(execution));
      return timelineAsSvg({ ...whole, title, segments, timezone });
    },

    /** Where the time of a chip went, with slices of an hour or a day. */
    async chipTime(
      projectId: ProjectId,
      chipId: string,
      { from, to, slice }: Stretch & { slice?: keyof typeof SLICE | undefined },
    ): Promise<ChipTime> {
      const { spans, runs } = await spansOfChip(projectId, chipId, { from, to });
      const segments = [...segmentsOf({ from, to }, spans)];
      const edges = slice ? edgesOf({ from, to }, SLICE[slice]) : [];
      return {
        chip_id: chipId,
        from: from.toISOString(),
        to: to.toISOString(),
        runs,
        seconds: (to.getTime() - from.getTime()) / MS_PER_SECOND,
        parts: shares(chipTimeParts, partsOf(segments)),
        slices: partsOfSlices(segments, edges).map((each, index) => ({
          from: isoOf(edges[index]),
          to: isoOf(edges[index + 1]),
          parts: shares(chipTimeParts, each),
        })),
      };
    },

    /** The same as an SVG. */
    async chipTimePicture(projectId: ProjectId, chipId: string, stretch: Stretch): Promise<string> {
      const { spans } = await spansOfChip(projectId, chipId, stretch);
      const segments = segmentsOf(stretch, spans);
      return timelineAsSvg({ ...stretch, title: `Chip ${chipId}`, segments, timezone });
    },
  };
}
