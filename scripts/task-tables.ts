/** The page of all tasks, generated from the catalog. As a program, writes docs/tasks.md. */
import { writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import { taskCatalog } from '../shared/tasks/catalog.ts';
import type { Bounds, TaskDefinition } from '../shared/tasks/model.ts';
import { choicesOf } from '../shared/tasks/run-options.ts';
import { type TaskCode, taskCode } from './task-code.ts';
import { type DataAxis, type DataVariable, type TaskData, taskData } from './task-data.ts';

const page = new URL('../docs/tasks.md', import.meta.url);

const scopes = {
  target: 'one measurement for each target',
  mux: 'one measurement for the qubits of a multiplexer',
  batch: 'one measurement for all targets',
};

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}

function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [columns, columns.map(() => '---'), ...rows.map((row) => row.map(cell))];
  return lines.map((line) => `| ${line.join(' | ')} |`).join('\n');
}

function limits({ minimum, maximum, exclusiveMinimum }: Bounds = {}, limitedBy?: string): string {
  return [
    ...(minimum === undefined ? [] : [`${exclusiveMinimum ? '>' : '≥'} ${minimum}`]),
    ...(maximum === undefined ? [] : [`≤ ${maximum}`]),
    ...(limitedBy === undefined ? [] : [`≤ \`${limitedBy}\``]),
  ].join(', ');
}

/** Formats a value as in a request. */
function shown(value: unknown): string {
  return value === null ? 'of the backend' : `\`${JSON.stringify(value)}\``;
}

function inputsOf({ inputs }: TaskDefinition): string[] {
  const rows = Object.entries(inputs).map(([name, input]) => [
    `\`${name}\``,
    input.unit,
    input.from ?? '',
    input.fallback === undefined ? (input.required ? 'required' : 'optional') : `else ${input.fallback}`,
    limits(input.bounds, input.limitedBy),
    input.description,
  ]);
  return rows.length === 0
    ? []
    : ['Inputs:', table(['name', 'unit', 'of', 'when missing', 'limits', 'meaning'], rows)];
}

function runParametersOf({ runParameters }: TaskDefinition): string[] {
  const rows = Object.entries(runParameters).map(([name, parameter]) => [
    `\`${name}\``,
    parameter.unit,
    parameter.valueType,
    shown(parameter.value),
    parameter.choices ? choicesOf(parameter).join(', ') : limits(parameter.bounds, parameter.limitedBy),
    parameter.description,
  ]);
  if (rows.length === 0) return [];
  return ['Run parameters:', table(['name', 'unit', 'type', 'default', 'limits', 'meaning'], rows)];
}

function outputsOf({ outputs }: TaskDefinition): string[] {
  const rows = Object.entries(outputs).map(([name, output]) => [
    `\`${name}\``,
    output.unit,
    limits(output.bounds),
    output.description,
  ]);
  return rows.length === 0 ? [] : ['Outputs:', table(['name', 'unit', 'limits', 'meaning'], rows)];
}

/** An axis of at most this many values that no sweep gives is shown with all of them. */
const FEW_VALUES = 8;

function codes(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ');
}

function pointsOf({ sweeps, values }: DataAxis): string {
  if (sweeps.length > 0) return `all of ${sweeps.map((name) => `\`${name}\``).join(' and ')}`;
  if (values.length <= FEW_VALUES) return values.join(', ');
  const [first, last] = [Math.min(...values), Math.max(...values)].map((value) =>
    Number(value.toPrecision(6)),
  );
  return `${values.length}, for example ${first} to ${last}`;
}

function neededFor({ without }: DataVariable): string {
  if (without === 'refused') return 'required';
  return without.length === 0 ? 'optional' : `optional, but for ${codes(without)}`;
}

function dataOf(data: TaskData | undefined): string[] {
  if (data === undefined) return [];
  const axes = data.axes.map((axis) => [
    `\`${axis.name}\``,
    'axis',
    axis.unit,
    pointsOf(axis),
    '',
    axis.meaning,
  ]);
  const variables = data.variables.map((variable) => [
    codes(variable.names),
    `over ${codes(variable.axes)}`,
    variable.unit ?? 'any linear',
    '',
    neededFor(variable),
    variable.meaning,
  ]);
  const columns = ['name', 'kind', 'unit', 'points', 'needed', 'meaning'];
  return ['Data:', table(columns, [...axes, ...variables])];
}

function figuresOf({ figures }: TaskDefinition): string[] {
  if (figures.length === 0) return [];
  return [
    ['Figures:', ...figures.map(({ description }, place) => `${place + 1}. ${description}`)].join('\n'),
  ];
}

function link(path: string, text: string): string {
  return `[${text}](../${path})`;
}

function codeOf(code: TaskCode | undefined): string[] {
  if (code === undefined) return [];
  const fits = code.fits.map((path) => link(path, basename(path)));
  return [`Code: ${link(code.folder, code.folder)}${fits.length > 0 ? `; fits: ${fits.join(', ')}` : ''}`];
}

function sectionOf(task: TaskDefinition, data: TaskData | undefined, code: TaskCode | undefined): string {
  const fit = task.r2Threshold === null ? '' : ` A fit with r2 ≤ ${task.r2Threshold} fails.`;
  const after = task.goesOnWhenRefused ? ' A refusal does not end its target.' : '';
  const made = task.kind === 'computed' ? 'computed from stored values' : scopes[task.scope];
  return [
    `### ${task.name}`,
    task.description,
    `Type ${task.taskType}; ${made}; at most ${task.timeout} s.${fit}${after}`,
    ...inputsOf(task),
    ...runParametersOf(task),
    ...dataOf(data),
    ...outputsOf(task),
    ...figuresOf(task),
    ...codeOf(code),
  ].join('\n\n');
}

/** Every task of the catalog in Markdown, by category. */
export async function taskPage(): Promise<string> {
  const data = await taskData();
  const code = taskCode(taskCatalog.map(({ name }) => name));
  const categories = [...new Set(taskCatalog.map((task) => task.category))];
  return `${[
    '# Tasks',
    'Made from the catalog by `npm run tasks`. A sweep is a triple: `np.linspace` start, stop, count; `np.logspace` the same in powers of ten; `np.arange` and `range` start, stop, step.',
    'Data are what a backend returns for Calibron to analyse, with the names and the order of axes as here. They are found on the simulator after all tasks before have calibrated it: points that no sweep names lie around a stored value. A signal is complex: `iq_re` and `iq_im` in a dataset, `.signal("iq", …)` in Python. Axes that only optional data have may be absent too. [Units](backend-contract.md#units) and [signs](backend-contract.md#signals-and-signs) hold for all tasks.',
    ...categories.flatMap((category) => [
      `## ${category}`,
      ...taskCatalog
        .filter((task) => task.category === category)
        .map((task) => sectionOf(task, data.get(task.name), code.get(task.name))),
    ]),
  ].join('\n\n')}\n`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) writeFileSync(page, await taskPage());
