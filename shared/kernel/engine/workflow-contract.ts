import type { WorkflowStartOptions } from '@temporalio/client';
import type { Workflow } from '@temporalio/common';
import type { Engine } from './temporal.ts';

/** A workflow as the processes that start it know it: its registered name, and the type of its function. */
export interface WorkflowContract<Run extends Workflow> {
  readonly name: string;
  /** Never set. It carries the type. */
  readonly run?: Run;
}

/** The function of a contract's workflow, or a compatible one. */
export type WorkflowOf<Contract> = Contract extends WorkflowContract<infer Run> ? Run : never;

/** @param name under which `workflows/index.ts` or `workflows/updater.ts` exports the workflow */
export function workflowContract<Run extends Workflow>(name: string): WorkflowContract<Run> {
  return { name };
}

/** Starts a workflow with the input that its contract declares. */
export function startWorkflow<Run extends Workflow>(
  { client }: Pick<Engine, 'client'>,
  { name }: WorkflowContract<Run>,
  options: WorkflowStartOptions<Run>,
) {
  return client.workflow.start<Run>(name, options);
}
