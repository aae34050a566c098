/** Steps that finish a measurement: writes its data to a file. Called by outcome.ts. */
import type { StoredParameters, TaskResultDocument } from '../../shared/domain/results/model.ts';
import type { HeldRun } from '../../shared/domain/runs/run-model.ts';
import { SERVICE_VERSION } from '../../shared/kernel/service-version.ts';
import {
  type FileOutcome,
  fileAttributes,
  outcomeAttributes,
} from '../../shared/science/datasets/file-attributes.ts';
import type { Dataset } from '../../shared/science/datasets/model.ts';
import { encodeNetcdf } from '../../shared/science/datasets/netcdf.ts';
import { withStatedUnits } from '../../shared/science/datasets/received.ts';
import type { ArtifactFiles } from './artifacts.ts';

/** Writes data that arrived inline to a file, together with the request and the outcome. @returns the path */
export function writeRawData(
  files: ArtifactFiles,
  { run, row }: { run: HeldRun; row: TaskResultDocument },
  { dataset, begin, end }: { dataset: Dataset; begin: Date; end: Date },
  outcome: FileOutcome,
): Promise<string> {
  const pass = row.passes?.length ?? 0;
  const measured = fileAttributes({
    source: 'Calibron',
    serviceVersion: SERVICE_VERSION,
    taskName: row.name,
    taskType: row.task_type,
    taskId: row.task_id,
    executionId: row.execution_id,
    projectId: row.project_id,
    chipId: row.chip_id,
    targets: [row.qid],
    backend: run.backend,
    pass,
    inputs: valuesOf(row.input_parameters),
    runParameters: row.run_parameters,
    begin: begin.toISOString(),
    end: end.toISOString(),
    written: new Date().toISOString(),
  });
  const attributes = { ...measured, ...outcomeAttributes(outcome) };
  const task = { name: row.name, qid: row.qid, id: row.task_id };
  return files.writeRawData(run, task, pass, encodeNetcdf(withStatedUnits(dataset), attributes));
}

/** The fields of inputs that a reader of the data needs. */
function valuesOf(inputs: StoredParameters) {
  return Object.fromEntries(
    Object.entries(inputs).map(([name, { value, error, unit, source, calibrated_at }]) => [
      name,
      { value, error, unit, source, calibrated_at },
    ]),
  );
}
