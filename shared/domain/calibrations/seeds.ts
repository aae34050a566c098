import { CalibronError } from '../../kernel/errors.ts';
import type { ExecutionId, ProjectId, UserId } from '../../kernel/ids.ts';
import type { Chips, GivenValues, SeedValue, ValueOrigin } from '../chips/index.ts';
import { plainTargetId } from '../chips/rules.ts';
import type { ChipOfProject } from '../configuration/rules.ts';
import type { Runs } from '../runs/index.ts';
import type { ImportSeeds, SeedComparison, SeedImport } from './model.ts';
import { type ParameterFile, readParameterFiles } from './parameter-files.ts';
import type { KnownParameters } from './rules.ts';

interface Dependencies {
  chips: Pick<Chips, 'mustGet' | 'allQubitIds' | 'targetValues'>;
  configurationRoot: string;
  whileFree: Runs['whileFree'];
  /** The parameters that tasks of a project find or need. */
  known(projectId: ProjectId): Promise<KnownParameters>;
  /** Writes values with their origin. @returns the id of the import in provenance */
  seed(
    chip: { project_id: ProjectId; chip_id: string },
    values: GivenValues,
    given: Pick<ValueOrigin, 'agent' | 'renew'>,
  ): Promise<ExecutionId>;
}

/** A requested start value. */
interface Seed {
  parameter_name: string;
  qid: string;
  unit: string;
  description: string;
  /** Null if the request names a qubit without a value. */
  value: number | null;
  /** Why its unit cannot be converted to that of its parameter; null if it was converted. */
  unitProblem: string | null;
}

/** Whether a start value may become calibration state, and if not, why. */
function judge(
  known: KnownParameters,
  knownQubits: ReadonlySet<string>,
  { parameter_name, qid, value, unitProblem }: Pick<Seed, 'parameter_name' | 'qid' | 'value' | 'unitProblem'>,
): Pick<SeedImport['results'][number], 'status' | 'message'> {
  if (value === null) return { status: 'skipped', message: 'no value was given' };
  if (!knownQubits.has(qid)) return { status: 'skipped', message: 'the chip has no such qubit' };
  const problem = unitProblem ?? known.problem('qubit', parameter_name, value);
  return problem === null
    ? { status: 'imported', message: 'imported' }
    : { status: 'error', message: problem };
}

function inSeedUnit(
  known: KnownParameters,
  name: string,
  value: number,
  unit: string,
): { value: number; unit: string; unitProblem: string | null } {
  const found = known.inUnit('qubit', name, { value, unit });
  if (typeof found === 'string') return { value, unit, unitProblem: found };
  return { value: found.value, unit: found.unit, unitProblem: null };
}

/** Start values of qubits, from the lab's parameter files or from the request. */
export function createSeeds({ chips, configurationRoot, whileFree, known, seed }: Dependencies) {
  async function filesOf(chip: ChipOfProject, only: readonly string[] | null): Promise<ParameterFile[]> {
    const files = await readParameterFiles(configurationRoot, chip);
    return files.filter(({ parameter_name }) => only === null || only.includes(parameter_name));
  }

  const fileSeeds = (parameters: KnownParameters, files: readonly ParameterFile[]) =>
    files.flatMap(({ parameter_name, unit, description, values }) =>
      [...values].map(([qid, value]) => ({
        parameter_name,
        qid,
        description: description || (parameters.find('qubit', parameter_name)?.description ?? ''),
        ...inSeedUnit(parameters, parameter_name, value, unit),
      })),
    );

  const manualSeeds = (all: KnownParameters, { manual_data, parameters }: ImportSeeds): Seed[] =>
    Object.entries(manual_data ?? {})
      .filter(([name]) => parameters === null || parameters.includes(name))
      .flatMap(([parameter_name, byQubit]) =>
        [...valuesByQubit(parameter_name, byQubit)].map(([qid, value]) => {
          const { unit = '', description = '' } = all.find('qubit', parameter_name) ?? {};
          return { parameter_name, qid, unit, description, value, unitProblem: null };
        }),
      );

  return {
    /** Names of the parameters in the files of a chip. @throws not_found */
    async parameters(projectId: ProjectId, chipId: string) {
      await chips.mustGet(projectId, chipId);
      const files = await filesOf({ project_id: projectId, chip_id: chipId }, null);
      return {
        chip_id: chipId,
        parameters: files.map(({ values, ...file }) => ({ ...file, count: values.size })),
      };
    },

    /** Compares the values of the files with the calibration state. @throws not_found */
    async compare(
      projectId: ProjectId,
      chipId: string,
      only: readonly string[] | null,
    ): Promise<SeedComparison> {
      await chips.mustGet(projectId, chipId);
      const files = await filesOf({ project_id: projectId, chip_id: chipId }, only);
      const names = files.map(({ parameter_name }) => parameter_name);
      const targets = await chips.targetValues('qubit', projectId, chipId, names);
      const current = new Map(targets.map(({ qid, data }) => [qid, data]));
      const items = fileSeeds(await known(projectId), files)
        .filter(({ qid }) => current.has(qid))
        .map(({ parameter_name, qid, unit, value }) => {
          const now = current.get(qid)?.[parameter_name]?.value ?? null;
          const status =
            now === null ? ('new' as const) : now === value ? ('same' as const) : ('different' as const);
          const delta = typeof now === 'number' ? value - now : null;
          return { parameter_name, qid, unit, seed_value: value, current_value: now, delta, status };
        });
      return { chip_id: chipId, items };
    },

    /**
     * Writes start values of qubits to the calibration state. The answer lists values that were refused.
     * @throws not_found, invalid_configuration; invalid_parameters for a qubit with two values; project_busy while a run holds
     * the project
     */
    async import(
      projectId: ProjectId,
      by: { _id: UserId; username: string },
      wanted: ImportSeeds,
    ): Promise<SeedImport> {
      const { chip_id, qids, manual_data, parameters } = wanted;
      await chips.mustGet(projectId, chip_id);
      const all = await known(projectId);
      const seeds =
        manual_data === null
          ? fileSeeds(all, await filesOf({ project_id: projectId, chip_id }, parameters))
          : manualSeeds(all, wanted);
      const qubits = new Set(await chips.allQubitIds(projectId, chip_id));
      const values = new Map<string, Record<string, SeedValue>>();
      const results: SeedImport['results'] = [];
      for (const { parameter_name, qid, unit, description, value, unitProblem } of seeds) {
        if (qids !== null && !qids.includes(qid)) continue;
        const { status, message } = judge(all, qubits, { parameter_name, qid, value, unitProblem });
        results.push({ parameter_name, qid, value, unit, status, message });
        if (status !== 'imported' || value === null) continue;
        const value_type = all.find('qubit', parameter_name)?.valueType ?? 'float';
        values.set(qid, { ...values.get(qid), [parameter_name]: { value, value_type, unit, description } });
      }
      const count = (status: SeedImport['results'][number]['status']) =>
        results.filter((each) => each.status === status).length;
      const imported_count = count('imported');
      const summary = {
        chip_id,
        imported_count,
        skipped: results
          .filter(({ status, value }) => status !== 'imported' && value !== null)
          .map(({ parameter_name, qid, message }) => ({ parameter_name, qid, reason: message })),
        source: wanted.source ?? (manual_data === null ? 'files' : 'manual'),
        skipped_count: count('skipped'),
        error_count: count('error'),
        results,
      };
      if (imported_count === 0) return { ...summary, execution_id: null };
      const agent = { user_id: by._id, username: by.username };
      const execution_id = await whileFree(
        projectId,
        'import values',
        async (renew) => {
          await chips.mustGet(projectId, chip_id);
          return seed({ project_id: projectId, chip_id }, values, { agent, renew });
        },
        { chipId: chip_id },
      );
      return { ...summary, execution_id };
    },
  };
}

/** Values by qubit id, for any notation of the ids in the request. @throws invalid_parameters for a qubit with two values */
function valuesByQubit(
  parameter: string,
  byLabel: Readonly<Record<string, number | null>>,
): Map<string, number> {
  const values = new Map<string, number>();
  for (const [label, value] of Object.entries(byLabel)) {
    if (value === null) continue;
    const qid = plainTargetId(label);
    if ((values.get(qid) ?? value) !== value) {
      throw new CalibronError(
        'invalid_parameters',
        `${parameter} has two values for qubit ${qid}, ${values.get(qid)} and ${value}. Give one.`,
      );
    }
    values.set(qid, value);
  }
  return values;
}
