import { entityTagOf } from '../../kernel/preconditions.ts';
import { isoTime } from '../../kernel/time.ts';
import type {
  FlowDetail,
  FlowDocument,
  FlowItem,
  FlowVersionDetail,
  FlowVersionDocument,
  FlowVersionItem,
} from './saved-flow-model.ts';
import type { ListedVersion } from './version-store.ts';

/** Converts a saved flow to the format of the flow list. `fileExists`: whether the copy for people exists. */
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

/** Converts a saved flow, with its code and its copy for people, to the API's format. */
export function flowDetailOf(
  flow: FlowDocument,
  code: string,
  file: { path: string; exists: boolean },
): FlowDetail {
  return {
    ...flowItemOf(flow, file.exists),
    code,
    default_parameters: flow.default_parameters,
    default_run_parameters: flow.default_run_parameters,
    file_path: file.path,
    parameters: flow.parameters ?? null,
  };
}

/** The entity tag of a flow; changes with each save. */
export function flowTagOf({ hash, revision, updated_at }: FlowDocument): string {
  return entityTagOf([hash, revision ?? isoTime(updated_at)]);
}

/**
 * Converts a version of a flow to the format of lists. Fields missing in the version are taken from the flow's current record.
 */
export function flowVersionOf(flow: FlowDocument, version: ListedVersion): FlowVersionItem {
  const { last_save } = version;
  const { description, chip_id, tags } = last_save ?? flow;
  return {
    version_id: version.hash,
    saved_by: last_save?.saved_by ?? version.author,
    saved_at: isoTime(last_save?.at ?? version.saved_at ?? version.created_at),
    is_current: version.hash === flow.hash,
    flow_function_name: last_save?.flow_function_name ?? version.function_name,
    description,
    chip_id,
    tags,
  };
}

/** Converts a version of a flow, with its code, to the API's format. */
export function flowVersionDetailOf(flow: FlowDocument, version: FlowVersionDocument): FlowVersionDetail {
  const { default_parameters, default_run_parameters } = version.last_save ?? flow;
  return {
    ...flowVersionOf(flow, version),
    code: version.source,
    default_parameters,
    default_run_parameters,
  };
}
