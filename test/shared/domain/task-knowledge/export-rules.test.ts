import { expect, test } from 'vitest';
import {
  branchAddress,
  branchOfCase,
  pathOfCase,
} from '../../../../shared/domain/task-knowledge/export-rules.ts';

const exported = { id: 'a1b2c3d4e5f60718293a4b5c', title: 'Cold', date: '2026-01-02', task_name: 'CheckT1' };

test('a page is in the folder of its task, one of an unknown task among the others', () => {
  expect(pathOfCase(exported)).toBe(
    'task-knowledge/td-characterization/CheckT1/cases/2026-01-02_cold_a1b2c3d4.md',
  );
  expect(pathOfCase({ ...exported, task_name: '../My task' })).toBe(
    'task-knowledge/other/My-task/cases/2026-01-02_cold_a1b2c3d4.md',
  );
});

test('a branch names the task, the time of the approval and the case', () => {
  const at = new Date('2026-01-02T03:04:05.678Z');
  expect(branchOfCase(exported, at)).toBe('knowledge/CheckT1/20260102-030405-a1b2c3d4');
  expect(branchOfCase({ ...exported, task_name: '..' }, at)).toBe('knowledge/task/20260102-030405-a1b2c3d4');
});

test('a branch has an address where its repository is a page of the web', () => {
  expect(branchAddress('https://git.example.org/lab/config.git', 'knowledge/a')).toBe(
    'https://git.example.org/lab/config/tree/knowledge/a',
  );
  expect(branchAddress('file:///srv/config.git', 'knowledge/a')).toBeNull();
});
