import { isoTime } from '../../kernel/time.ts';
import type { FlowDetail, FlowDocument, FlowItem } from './saved-flow-model.ts';

/** A saved flow as the list of flows shows it. `fileExists`: the copy for people is where it was written. */
export function flowItemOf(flow: FlowDocument, fileExists: boolean): FlowItem {
  return {
    name: flow.name,
    created_by: flow.username,
    description: flow.description,
    chip_id: flow.chip_id,
    flow_function_name: flow.flow_function_name,
    created_at: isoTime(flow.created_at),
    updated_at: isoTime(flow.updated_at),
    tags: flow.tags,
    file_exists: fileExists,
  };
}

/** A saved flow with its code. */
export function flowDetailOf(flow: FlowDocument, code: string, fileExists: boolean): FlowDetail {
  return {
    ...flowItemOf(flow, fileExists),
    code,
    default_parameters: flow.default_parameters,
    default_run_parameters: flow.default_run_parameters,
    file_path: flow.file_path,
    parameters: flow.parameters ?? null,
  };
}
