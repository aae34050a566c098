import { defineSearchAttributeKey, type SearchAttributePair } from '@temporalio/common';

/** Keyword attributes by which operators find runs in the engine's UI. All are set when a run starts. */
export const searchAttributeNames = [
  'ProjectId',
  'ExecutionId',
  'ChipId',
  'FlowName',
  'Backend',
  'Initiator',
  'Trigger',
] as const;

type SearchAttributeName = (typeof searchAttributeNames)[number];

/** Search attribute values of a workflow. */
export function searchAttributes(
  values: Readonly<Partial<Record<SearchAttributeName, string>>>,
): SearchAttributePair[] {
  return searchAttributeNames.flatMap((name) => {
    const value = values[name];
    return value === undefined ? [] : [{ key: defineSearchAttributeKey(name, 'KEYWORD'), value }];
  });
}
