/** The page of all tasks, generated from the catalog. As a program, writes docs/tasks.md. */
import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { taskCatalog } from '../shared/tasks/catalog.ts';
import type { Bounds, TaskDefinition } from '../shared/tasks/model.ts';
import { choicesOf } from '../shared/tasks/run-options.ts';

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

function figuresOf({ figures }: TaskDefinition): string[] {
  if (figures.length === 0) return [];
  return [
    ['Figures:', ...figures.map(({ description }, place) => `${place + 1}. ${description}`)].join('\n'),
  ];
}

function sectionOf(task: TaskDefinition): string {
  const fit = task.r2Threshold === null ? '' : ` A fit with r2 ≤ ${task.r2Threshold} fails.`;
  const after = task.goesOnWhenRefused ? ' A refusal does not end its target.' : '';
  const made = task.kind === 'computed' ? 'computed from stored values' : scopes[task.scope];
  return [
    `### ${task.name}`,
    task.description,
    `Type ${task.taskType}; ${made}; at most ${task.timeout} s.${fit}${after}`,
    ...inputsOf(task),
    ...runParametersOf(task),
    ...outputsOf(task),
    ...figuresOf(task),
  ].join('\n\n');
}

/** Every task of the catalog in Markdown, by category. */
export function taskPage(): string {
  const categories = [...new Set(taskCatalog.map((task) => task.category))];
  return `${[
    '# Tasks',
    'Made from the catalog by `npm run tasks`. A sweep is a triple: `np.linspace` start, stop, count; `np.logspace` the same in powers of ten; `np.arange` and `range` start, stop, step.',
    ...categories.flatMap((category) => [
      `## ${category}`,
      ...taskCatalog.filter((task) => task.category === category).map(sectionOf),
    ]),
  ].join('\n\n')}\n`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) writeFileSync(page, taskPage());
