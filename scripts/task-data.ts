/**
 * The dataset that the analysis of each task reads. The simulator measures every task, and the analysis is repeated without
 * each of the variables: what it then lacks shows whether that variable is needed.
 */
import type { Dataset } from '../shared/science/datasets/model.ts';
import { expectedUnit } from '../shared/science/datasets/received.ts';
import { analyse } from '../shared/tasks/analyses.ts';
import { taskCatalog } from '../shared/tasks/catalog.ts';
import type { AnalysisInput } from '../shared/tasks/common/analysis/model.ts';
import { sweepPoints } from '../shared/tasks/run-parameters.ts';
import { type Calibrated, createBringUp, targetsOf } from './bring-up.ts';

/** An axis of a dataset. */
export interface DataAxis {
  name: string;
  unit: string;
  meaning: string;
  /** Run parameters whose points it has; empty for an axis that no sweep gives. */
  sweeps: string[];
  values: number[];
}

/** A variable of a dataset, or both quadratures of a signal. */
export interface DataVariable {
  names: string[];
  axes: string[];
  /** Null for a signal, which may have any linear unit. */
  unit: string | null;
  meaning: string;
  /** What the analysis does without it: finds nothing, or lacks these outputs. */
  without: 'refused' | string[];
}

export interface TaskData {
  axes: DataAxis[];
  variables: DataVariable[];
}

/** The sweeps that give the points of an axis; one whose points all belong to a longer one is not among them. */
function sweepsOf({ runParameters }: AnalysisInput, values: readonly number[]): string[] {
  const isAmong = (points: readonly number[], point: number) =>
    points.some((each) => Math.abs(each - point) <= 1e-9 * Math.max(1, Math.abs(point)));
  const sweeps = Object.entries(runParameters)
    .flatMap(([name, parameter]) => {
      const points = sweepPoints(parameter);
      return points.ok && points.value.every((point) => isAmong(values, point))
        ? [{ name, points: points.value }]
        : [];
    })
    .sort((a, b) => b.points.length - a.points.length);
  const covered: number[] = [];
  return sweeps.flatMap(({ name, points }) => {
    if (points.every((point) => isAmong(covered, point))) return [];
    covered.push(...points);
    return [name];
  });
}

function axesOf(input: AnalysisInput): DataAxis[] {
  return Object.entries(input.dataset.coordinates).map(([name, { unit, long_name, values }]) => {
    const numbers = values.flatMap((value) => value ?? []);
    return { name, unit, meaning: long_name, sweeps: sweepsOf(input, numbers), values: numbers };
  });
}

/** Names of the variables that belong together: both quadratures of a signal, or a single one. */
function groupsOf({ variables }: Dataset): string[][] {
  const groups = new Map<string, string[]>();
  for (const name of Object.keys(variables)) {
    const stem = name.replace(/_(re|im)$/, '');
    groups.set(stem, [...(groups.get(stem) ?? []), name]);
  }
  return [...groups.values()];
}

/** The dataset without some variables and the axes that only these have. */
function lacking(dataset: Dataset, names: readonly string[]): Dataset {
  const variables = Object.fromEntries(
    Object.entries(dataset.variables).filter(([name]) => !names.includes(name)),
  );
  const left = new Set(Object.values(variables).flatMap(({ dims }) => dims));
  const kept = <Value>(record: Record<string, Value>) =>
    Object.fromEntries(Object.entries(record).filter(([name]) => left.has(name)));
  return { dims: kept(dataset.dims), coordinates: kept(dataset.coordinates), variables };
}

function variableOf({ input, analysis }: Calibrated, names: string[]): DataVariable {
  const [first = ''] = names;
  const variable = input.dataset.variables[first];
  const without = analyse({ ...input, dataset: lacking(input.dataset, names) });
  const isRefused = without.refused !== undefined && without.refused !== analysis.refused;
  const lost = Object.keys(analysis.outputs).filter((name) => without.outputs[name] === undefined);
  const unit = expectedUnit(first);
  return {
    names,
    axes: variable?.dims ?? [],
    unit: unit === null ? null : (variable?.unit ?? unit),
    meaning: (variable?.long_name ?? '').replace(/^In-phase (.)/, (_, letter: string) =>
      letter.toUpperCase(),
    ),
    without: isRefused ? 'refused' : lost,
  };
}

/** The data of each measured task by its name, from a simulated device that all tasks before it have calibrated. */
export async function taskData(): Promise<ReadonlyMap<string, TaskData>> {
  const bringUp = createBringUp();
  const data = new Map<string, TaskData>();
  try {
    for (const task of taskCatalog) {
      for (const [place, qid] of targetsOf(task).entries()) {
        const calibrated = await bringUp.calibrate(task, qid);
        if (calibrated === null || place > 0 || task.kind === 'computed') continue;
        data.set(task.name, {
          axes: axesOf(calibrated.input),
          variables: groupsOf(calibrated.input.dataset).map((names) => variableOf(calibrated, names)),
        });
      }
    }
  } finally {
    bringUp.remove();
  }
  return data;
}
