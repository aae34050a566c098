import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { type ExecutionPart, executionPart, type Schemas } from '../api.ts';
import { stateOf, type TaskState } from '../colours.ts';
import { followRun, type RunEvent } from '../events.ts';
import { useProjectId } from '../session.tsx';

/** Milliseconds for which events are collected before they are shown together. */
const COLLECT_MS = 100;
/** Milliseconds from a first new value until the values are read again. */
const REFRESH_MS = 2000;
/** Milliseconds between two requests for what is being measured, and the same for runs of more than `LARGE` tasks. */
const [POLL_MS, LARGE_POLL_MS, LARGE] = [2000, 10_000, 3000];
const FIELDS = ['task_id', 'name', 'qid', 'status', 'message', 'start_at', 'end_at'] as const;

export type Progress = Schemas['ExecutionProgressEvent'];
export type Detail = ExecutionPart<(typeof FIELDS)[number]>;
export type RunTask = Detail['task'][number];

/** Changes from the events of a run since the detail was read. */
interface Heard {
  progress: Progress | null;
  waiting: string | null;
  stage: string | null;
  ended: ReadonlyMap<string, Schemas['ExecutionTaskEvent']>;
  isConnected: boolean;
}

const NOTHING: Heard = { progress: null, waiting: null, stage: null, ended: new Map(), isConnected: true };

export const isOver = (status: string) => ['completed', 'failed', 'cancelled'].includes(status);

/** A run with the changes from its events, live. */
export function useRun(executionId: string | undefined) {
  const projectId = useProjectId();
  const client = useQueryClient();
  const [heard, setHeard] = useState<Heard>(NOTHING);
  const detail = useQuery({
    queryKey: ['execution', projectId, executionId],
    queryFn: () => executionPart(executionId ?? '', FIELDS),
    enabled: executionId !== undefined,
    refetchInterval: ({ state: { data } }) => {
      if (!data || isOver(data.status)) return false;
      return data.task.length > LARGE ? LARGE_POLL_MS : POLL_MS;
    },
  });
  const isLive = detail.data !== undefined && !isOver(detail.data.status);

  useEffect(() => {
    setHeard(NOTHING);
    if (executionId === undefined || !isLive) return;
    let collected: RunEvent[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    let refresh: ReturnType<typeof setTimeout> | undefined;
    const refreshValues = () => {
      refresh = undefined;
      for (const kind of ['heatmap', 'target', 'holding'])
        void client.invalidateQueries({ queryKey: [kind, projectId] });
    };
    const tell = () => {
      const events = collected;
      collected = [];
      timer = undefined;
      setHeard((before) => heardAfter(before, events));
      if (events.some(({ type }) => type === 'end' || type === 'state')) {
        void client.invalidateQueries({ queryKey: ['execution', projectId, executionId] });
        void client.invalidateQueries({ queryKey: ['lock', projectId] });
        void client.invalidateQueries({ queryKey: ['approvals', projectId] });
      }
      if (events.some(({ type }) => type === 'task')) refresh ??= setTimeout(refreshValues, REFRESH_MS);
    };
    const stop = followRun({
      projectId,
      executionId,
      onEvents(events) {
        collected.push(...events);
        timer ??= setTimeout(tell, COLLECT_MS);
      },
      onConnected: (isConnected) => setHeard((before) => ({ ...before, isConnected })),
    });
    return () => {
      stop();
      clearTimeout(timer);
      clearTimeout(refresh);
      if (refresh !== undefined) refreshValues();
    };
  }, [projectId, executionId, isLive, client]);

  return { detail, heard, isLive };
}

function heardAfter(before: Heard, events: readonly RunEvent[]): Heard {
  const ended = new Map(before.ended);
  let { progress, waiting, stage } = before;
  for (const event of events) {
    if (event.type === 'task') ended.set(event.task_id, event);
    if (event.type === 'progress') progress = event;
    if (event.type === 'waiting') waiting = event.for;
    if (event.type === 'state') stage = event.stage;
  }
  return { ...before, progress, waiting, stage, ended };
}

/** The tasks of a run with the changes from later events. */
export function tasksNow(tasks: readonly RunTask[], ended: Heard['ended']): RunTask[] {
  return tasks.map((task) => {
    const event = task.status === 'running' ? ended.get(task.task_id ?? '') : undefined;
    return event ? { ...task, status: event.status, message: event.message } : task;
  });
}

/** One state for each target of a run: what it does now, or else how it came out. */
export function targetStates(tasks: readonly RunTask[]): Map<string, TaskState> {
  const rank: readonly TaskState[] = ['waiting', 'skipped', 'passed', 'failed', 'measuring'];
  const states = new Map<string, TaskState>();
  for (const { qid, status } of tasks) {
    if (qid === undefined || status === undefined) continue;
    const state = stateOf(status);
    const before = states.get(qid);
    if (!before || rank.indexOf(state) > rank.indexOf(before)) states.set(qid, state);
  }
  return states;
}

export type Run = ReturnType<typeof useRun>;
