import type { ExecutionId, ProjectId, TaskId } from '../../kernel/ids.ts';
import type { NetcdfAttributes } from './netcdf.ts';

/**
 * Version of the attributes. Increment it when an attribute of {@link fileAttributes} changes its meaning or is
 * removed.
 */
const FORMAT_VERSION = 1;

/** The measurement of a file: what was measured, for whom, and by which program. */
export interface MeasuredFile {
  /** Program that wrote the file, and its version. */
  source: string;
  serviceVersion: string;
  taskName: string;
  taskType: string;
  taskId: TaskId;
  executionId: ExecutionId;
  projectId: ProjectId;
  chipId: string;
  /** Measured qubits or couplings. There are several if one measurement covers a readout line. */
  targets: readonly string[];
  backend: string;
  /** Number of the pass, from 0. A task may measure again with other settings. */
  pass: number;
  inputs: unknown;
  runParameters: unknown;
  /** ISO times, UTC. */
  begin: string;
  end?: string | undefined;
  written: string;
}

/**
 * The global attributes of a file of raw data, so that it can be understood without the service: times under the names of
 * the ACDD convention (https://wiki.esipfed.org/Attribute_Convention_for_Data_Discovery_1-3), parameters as JSON objects
 * by name with value and unit. Each variable has the unit of its data.
 */
export function fileAttributes(file: MeasuredFile): Record<string, string | number> {
  return {
    title: `${file.taskName} of ${file.targets.join(', ')}`,
    source: `${file.source} ${file.serviceVersion}`,
    format: 'calibron-dataset',
    format_version: FORMAT_VERSION,
    service_version: file.serviceVersion,
    task_name: file.taskName,
    task_type: file.taskType,
    task_id: file.taskId,
    execution_id: file.executionId,
    project_id: file.projectId,
    chip_id: file.chipId,
    qid: file.targets.join(','),
    backend: file.backend,
    measurement_pass: file.pass,
    time_coverage_start: file.begin,
    ...(file.end === undefined ? {} : { time_coverage_end: file.end }),
    date_created: file.written,
    input_parameters: JSON.stringify(file.inputs),
    run_parameters: JSON.stringify(file.runParameters),
  };
}

/** Outcome of a file's task: how it ended, and its accepted values by name, each with value, error and unit. */
export interface FileOutcome {
  status: 'completed' | 'failed' | 'measured again';
  message: string;
  r2: number | null;
  outputs: Readonly<Record<string, { value: unknown; error?: number | null; unit: string }>>;
}

/** Attributes that are known once the data are analysed. */
export function outcomeAttributes({ status, message, r2, outputs }: FileOutcome): NetcdfAttributes {
  const found = Object.entries(outputs).map(
    ([name, { value, error = null, unit }]) => [name, { value, error, unit }] as const,
  );
  return {
    status,
    message,
    ...(r2 === null ? {} : { r2 }),
    output_parameters: JSON.stringify(Object.fromEntries(found)),
  };
}
