import { defineSearchAttributeKey, type SearchAttributePair } from '@temporalio/common';
import type { RunIdentity } from '../../domain/runs/run.ts';

/** Keyword attributes by which operators find runs in the engine's UI; all are set at start. */
export const searchAttributeNames = [
  'ProjectId',
  'ExecutionId',
  'ChipId',
  'FlowName',
  'Backend',
  'Initiator',
  'Trigger',
] as const;

const key = (name: (typeof searchAttributeNames)[number]) => defineSearchAttributeKey(name, 'KEYWORD');

/** The attribute by which everything that works for a project is found. */
export function projectAttribute(projectId: string): SearchAttributePair {
  return { key: key('ProjectId'), value: projectId };
}

/** The attributes of a run; none is personal but the initiator's username. */
export function searchAttributesOf(run: RunIdentity): SearchAttributePair[] {
  return [
    projectAttribute(run.project_id),
    { key: key('ExecutionId'), value: run.execution_id },
    { key: key('ChipId'), value: run.chip_id },
    { key: key('FlowName'), value: run.name },
    { key: key('Backend'), value: run.backend },
    { key: key('Initiator'), value: run.username },
    { key: key('Trigger'), value: run.trigger },
  ];
}
