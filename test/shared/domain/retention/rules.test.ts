import { expect, test } from 'vitest';
import type { ResultFiles } from '../../../../shared/domain/results/model.ts';
import { divided, filesOf, referrerOf } from '../../../../shared/domain/retention/rules.ts';
import { taskNamed } from '../../../support/ids.ts';

const result = (name: string, fields: Partial<ResultFiles> = {}): ResultFiles => ({
  _id: name,
  task_id: taskNamed(name),
  figure_path: [`${name}.png`],
  json_figure_path: [`${name}.json`],
  raw_data_path: [`${name}.nc`],
  user_note: null,
  excluded: false,
  ...fields,
});
const nothing = { current: new Set<string>(), issues: new Set<string>(), cases: new Set<string>() };
const note = (content: string) => ({ content, updated_by: 'mia', updated_at: null });

test('a result without reference keeps no files', () => {
  expect(referrerOf(result('a'), nothing)).toBeNull();
  expect(referrerOf(result('a', { user_note: note('') }), nothing)).toBeNull();
});

test('the strongest reference is named', () => {
  const all = { current: new Set(['a']), issues: new Set(['a']), cases: new Set(['a']) };
  const noted = result('a', { user_note: note('Why?'), excluded: true });
  expect(referrerOf(noted, all)).toBe('current_value');
  expect(referrerOf(noted, { ...all, current: new Set() })).toBe('note');
  expect(referrerOf(result('a', { excluded: true }), { ...all, current: new Set() })).toBe('issue');
  expect(referrerOf(result('a', { excluded: true }), { ...nothing, cases: new Set(['a']) })).toBe(
    'exclusion',
  );
  expect(referrerOf(result('a'), { ...nothing, cases: new Set(['a']) })).toBe('knowledge_case');
});

test('a result that was excluded and included again is kept', () => {
  expect(referrerOf(result('a', { excluded: false, excluded_at: new Date(0) }), nothing)).toBe('exclusion');
});

test('the files of all passes belong to a result', () => {
  expect(
    filesOf(result('a', { passes: [{ raw_data_path: ['p1.nc'] }, { raw_data_path: ['p2.nc'] }] })),
  ).toEqual(['a.png', 'a.json', 'a.nc', 'p1.nc', 'p2.nc']);
});

test('a file that a kept result shows too is kept; a result without files is not counted as deleted', () => {
  const shared = { raw_data_path: ['shared.nc'] };
  const without = { figure_path: [], json_figure_path: [], raw_data_path: [] };
  const all = [result('kept', shared), result('other', shared), result('empty', without), result('too')];
  const { kept, deleted, files } = divided(all, { ...nothing, issues: new Set(['kept', 'too']) });
  expect([...kept]).toEqual([['issue', 2]]);
  expect(deleted.map(({ task_id }) => task_id)).toEqual(['other']);
  expect(files).toEqual(['other.png', 'other.json']);
});
