import { expect, test } from 'vitest';
import { parameterFilePath } from '../../../../shared/domain/calibrations/parameter-file-rules.ts';
import {
  checkConfigurationPath,
  checkWrittenPath,
  chipFolder,
  editedTaskFile,
  isFormerChipFile,
  isSharedConfiguration,
  namesProjects,
  projectOfConfiguration,
  textKindOf,
  textKindOfFile,
} from '../../../../shared/domain/configuration/rules.ts';
import { newProjectId } from '../../../../shared/kernel/new-ids.ts';

const project_id = newProjectId();

test('YAML and JSON are known by the ending of a file', () => {
  expect(['yaml', 'YML', 'json', 'toString', ''].map(textKindOf)).toEqual([
    'yaml',
    'yaml',
    'json',
    null,
    null,
  ]);
  expect(['a/b.yml', 'a.JSON', 'a.txt', 'yaml'].map(textKindOfFile)).toEqual(['yaml', 'json', null, null]);
});

test('the files of a chip are in the folder of its project', () => {
  const chip = { project_id, chip_id: 'CHIP' };
  expect(chipFolder(chip)).toBe(`${project_id}/CHIP`);
  expect(parameterFilePath(chip, 't1')).toBe(`${project_id}/CHIP/params/t1.yaml`);
  expect(projectOfConfiguration(`${project_id.toUpperCase()}/CHIP/params`)).toBe(project_id);
  expect(projectOfConfiguration('metrics.yaml')).toBeNull();
  expect(projectOfConfiguration(`x/${project_id}`)).toBeNull();
});

test('backends.json names projects, however it is written', () => {
  expect(['backends.json', 'BACKENDS.JSON', 'ｂackends.json', 'metrics.yaml'].map(namesProjects)).toEqual([
    true,
    true,
    true,
    false,
  ]);
});

test('files of a chip outside a project are known', () => {
  for (const path of ['CHIP/params/t1.yaml', 'CHIP/PARAMS/x', 'CHIP/config/wiring.yaml'])
    expect(isFormerChipFile(path), path).toBe(true);
  for (const path of [
    'CHIP/params',
    'CHIP/config/other.yaml',
    'CHIP/parameters/x',
    `${project_id}/CHIP/params/t1.yaml`,
  ])
    expect(isFormerChipFile(path), path).toBe(false);
});

test('an edited task file is YAML in a folder of its own', () => {
  expect(editedTaskFile('a/CheckT1')).toBe('task-files/a/CheckT1.yaml');
  expect(editedTaskFile('a/CheckT1.json')).toBe('task-files/a/CheckT1.json');
  expect(() => editedTaskFile('../a')).toThrow(expect.objectContaining({ code: 'bad_request' }));
});

test.each(['', '/a', 'a//b', 'a/', '../a', 'a/.hidden', 'a\\b', 'a\u0000', 'a\u001f', 'a\u007f'])(
  '%j is no path of a file',
  (path) => {
    const refusal = expect.objectContaining({
      code: 'bad_request',
      message: 'Name a file by its path within the configuration; no part may begin with a dot.',
    });
    expect(() => checkConfigurationPath(path)).toThrow(refusal);
    expect(() => checkWrittenPath(path)).toThrow(refusal);
  },
);

test('a written path has at most 16 parts and 400 characters', () => {
  const refusal = expect.objectContaining({
    code: 'bad_request',
    message: 'The path of a file has at most 16 parts and 400 characters.',
  });
  const parts = (count: number) => Array.from({ length: count }, () => 'a').join('/');
  expect(() => checkWrittenPath(parts(16))).not.toThrow();
  expect(() => checkWrittenPath(parts(17))).toThrow(refusal);
  expect(() => checkWrittenPath('a'.repeat(400))).not.toThrow();
  expect(() => checkWrittenPath('a'.repeat(401))).toThrow(refusal);
});

test('a file of a chip is only written inside its project', () => {
  expect(() => checkWrittenPath('CHIP/params/t1.yaml')).toThrow(
    expect.objectContaining({
      code: 'bad_request',
      message:
        'The files of a chip are in the folder of its project: <project id>/<chip id>/params or .../config.',
    }),
  );
  expect(() => checkConfigurationPath('CHIP/params/t1.yaml')).not.toThrow();
});

test('what all projects share is known, however it is written', () => {
  for (const path of [
    'backends.json',
    'Copilot.yaml',
    'maintenance.yaml',
    'metrics.yaml',
    'task-knowledge/CheckT1/index.md',
    'topologies/square.yaml',
  ])
    expect(isSharedConfiguration(path), path).toBe(true);
  for (const path of ['task-files/a.yaml', `${project_id}/metrics.yaml`])
    expect(isSharedConfiguration(path), path).toBe(false);
});
