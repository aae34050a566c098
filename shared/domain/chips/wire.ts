import { isoTime, isoTimeOrNull } from '../../kernel/time.ts';
import type { TaskResultDocument } from '../results/model.ts';
import { executionTaskOf, parametersOf } from '../results/wire.ts';
import type {
  Chip,
  ChipDocument,
  ChipTarget,
  MuxEntry,
  MuxEntryField,
  StoredNote,
  TargetDocument,
} from './model.ts';

/** Converts a stored note to the API's format. */
export function noteOf(note: StoredNote) {
  return { ...note, updated_at: isoTimeOrNull(note.updated_at) };
}

/** Converts a stored chip to the API's format. */
export function chipOf(stored: ChipDocument): Chip {
  return {
    chip_id: stored.chip_id,
    size: stored.size,
    topology_id: stored.topology_id,
    qubit_count: stored.qubit_count,
    coupling_count: stored.coupling_count,
    installed_at: isoTime(stored.installed_at),
    activity_status: stored.activity_status,
    current_cooldown_id: stored.current_cooldown_id,
    note: noteOf(stored.note),
  };
}

/** Converts a stored qubit or coupling to the API's format. */
export function targetOf(stored: TargetDocument): ChipTarget {
  const notes = Object.entries(stored.metric_notes).map(([key, note]) => [key, noteOf(note)] as const);
  return {
    qid: stored.qid,
    chip_id: stored.chip_id,
    status: stored.status,
    data: parametersOf(stored.data),
    note: noteOf(stored.note),
    metric_notes: Object.fromEntries(notes),
  };
}

/** The newest result of a task on a qubit, in the format of a multiplexer. */
export function muxEntryOf(root: string, name: string, task: TaskResultDocument | undefined): MuxEntry {
  if (task) {
    const {
      user_id: _id,
      username: _user,
      run_parameters: _run,
      default_view: _view,
      ...shown
    } = executionTaskOf(root, task);
    return { ...shown, qid: null, upstream_id: null };
  }
  return {
    task_id: null,
    name,
    status: 'pending',
    message: null,
    input_parameters: null,
    output_parameters: null,
    output_parameter_names: null,
    note: null,
    figure_path: null,
    json_figure_path: null,
    raw_data_path: null,
    start_at: null,
    end_at: null,
    elapsed_time: null,
    task_type: null,
    qid: null,
    upstream_id: null,
  };
}

const noFields = muxEntryOf('', '', undefined);

/** An entry with its name, its status and these fields only; the others are null. */
export function muxEntryPart(entry: MuxEntry, fields: readonly MuxEntryField[]): MuxEntry {
  const { name, status } = entry;
  const shown = Object.fromEntries(fields.map((field) => [field, entry[field]]));
  return { ...noFields, ...shown, name, status };
}
