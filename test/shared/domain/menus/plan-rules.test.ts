import { describe, expect, test } from 'vitest';
import type { ScheduleNode } from '../../../../shared/domain/menus/model.ts';
import { type MenuTask, stagesOf, unknownTaskProblems } from '../../../../shared/domain/menus/plan-rules.ts';

const task = (name: string, taskType: MenuTask['taskType']): MenuTask => ({
  name,
  taskType,
  run_parameters: {},
});
const rabi = task('CheckRabi', 'qubit');
const status = task('CheckStatus', 'global');
const cross = task('CheckCrossResonance', 'coupling');

/** The steps of each stage of a menu that measures qubits and couplings. */
function schedulesOf(schedule: ScheduleNode, tasks = [rabi, cross]) {
  const { stages, problems } = stagesOf('Menu', schedule, tasks);
  expect(problems).toEqual([]);
  return stages.map((stage) => stage.schedule);
}

const problemsOf = (schedule: ScheduleNode, tasks = [rabi, cross]) =>
  stagesOf('Menu', schedule, tasks).problems;

describe('the schedule of a menu', () => {
  test('targets of a serial node follow each other, those of a parallel node and of a batch go side by side', () => {
    expect(schedulesOf({ serial: ['0', '1', '2'] })).toEqual([[[['0', '1', '2']]]]);
    expect(schedulesOf({ parallel: ['0', '1'] })).toEqual([[[['0'], ['1']]]]);
    expect(schedulesOf({ batch: ['0', '1'] })).toEqual([[[['0'], ['1']]]]);
    expect(schedulesOf('7')).toEqual([[[['7']]]]);
  });

  test('rows side by side do not wait for each other', () => {
    expect(schedulesOf({ parallel: [{ serial: ['0', '1'] }, { serial: ['2', '3', '4'] }] })).toEqual([
      [
        [
          ['0', '1'],
          ['2', '3', '4'],
        ],
      ],
    ]);
  });

  test('groups one after another are steps', () => {
    expect(schedulesOf({ serial: [{ parallel: ['0', '1'] }, '2', { batch: ['3', '4'] }] })).toEqual([
      [[['0'], ['1']], [['2']], [['3'], ['4']]],
    ]);
  });

  test('nodes nest: parts side by side go from step to step together', () => {
    const schedule: ScheduleNode = {
      parallel: [
        { serial: [{ parallel: ['0', '1'] }, { serial: ['2', '3'] }] },
        { serial: [{ batch: ['4'] }, { parallel: ['5', { serial: ['6', '7'] }] }] },
      ],
    };
    expect(schedulesOf(schedule)).toEqual([
      [
        [['0'], ['1'], ['4']],
        [['2', '3'], ['5'], ['6', '7']],
      ],
    ]);
  });

  test('a target that comes again begins another stage, since a stage measures each once', () => {
    expect(schedulesOf({ serial: ['0', '1', '0'] })).toEqual([[[['0', '1']]], [[['0']]]]);
    expect(schedulesOf({ serial: [{ parallel: ['0', '1'] }, { parallel: ['0', '2'] }] })).toEqual([
      [[['0'], ['1']]],
      [[['0'], ['2']]],
    ]);
  });

  test('empty nodes are nothing', () => {
    expect(schedulesOf({ serial: [{ parallel: [] }, '0', { batch: [] }] })).toEqual([[[['0']]]]);
  });

  test('parts side by side may not share a target', () => {
    expect(problemsOf({ parallel: ['0', { serial: ['0', '1'] }] })).toEqual([
      'parts that go side by side share 0',
    ]);
    expect(problemsOf({ batch: ['3', '3'] })).toHaveLength(1);
  });

  test('without any target nothing can be run', () => {
    expect(problemsOf({ serial: [] })).toEqual(['its schedule names no target']);
  });
});

describe('the stages of a menu', () => {
  test('qubits and couplings have stages of their own with the tasks that measure them', () => {
    const { stages } = stagesOf('Night', { serial: [{ parallel: ['0', '1'] }, '0-1', '2'] }, [
      status,
      rabi,
      cross,
    ]);
    expect(
      stages.map(({ name, tasks, schedule }) => [name, tasks.map((each) => each.name), schedule]),
    ).toEqual([
      ['Night 1', ['CheckStatus', 'CheckRabi'], [[['0'], ['1']]]],
      ['Night 2', ['CheckStatus', 'CheckCrossResonance'], [[['0-1']]]],
      ['Night 3', ['CheckStatus', 'CheckRabi'], [[['2']]]],
    ]);
  });

  test('of one step both kinds are measured before the next step', () => {
    expect(schedulesOf({ serial: [{ parallel: ['0-1', '2'] }, { parallel: ['3', '1-0'] }] })).toEqual([
      [[['2']]],
      [[['0-1']]],
      [[['3']]],
      [[['1-0']]],
    ]);
  });

  test('a single stage has the name of the menu, cut to what a stage may be called', () => {
    expect(stagesOf('Night', '0', [rabi]).stages.map(({ name }) => name)).toEqual(['Night']);
    const [first] = stagesOf('x'.repeat(120), { serial: ['0', '0'] }, [rabi]).stages;
    expect(first?.name).toBe(`${'x'.repeat(98)} 1`);
  });

  test('targets that none of the tasks measures are a problem, and so is a menu without tasks', () => {
    expect(problemsOf({ parallel: ['0', '0-1'] }, [rabi])).toEqual([
      'its schedule names 0-1, but none of its tasks measures couplings',
    ]);
    expect(problemsOf('0', [])).toEqual(['it has no tasks']);
    expect(problemsOf('0', [status])).toEqual([]);
  });

  test('a menu that is more than one run may hold is refused before it is planned', () => {
    const many = Array.from({ length: 210_000 }, (_, index) => String(index % 64));
    expect(problemsOf({ batch: many })).toEqual([
      'a run holds at most 200000 tasks, this one would have 420000',
    ]);
    expect(problemsOf({ serial: many }, [])).toHaveLength(1);
    expect(problemsOf({ serial: many.slice(0, 201).map(() => '0') })).toEqual([
      'a run has at most 200 stages, this one would have 201',
    ]);
  });

  test('unknown tasks are named, each once', () => {
    expect(unknownTaskProblems(['CheckRabi', 'CheckRaby', 'CheckRaby'], ['CheckRabi'])).toEqual([
      'unknown task "CheckRaby"; did you mean "CheckRabi"?',
    ]);
  });
});
