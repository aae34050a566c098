import { expect, test } from 'vitest';
import type { AgentPolicy } from '../../../../shared/domain/agent-sessions/model.ts';
import {
  gateValue,
  type ProposedAction,
  qualityProblem,
  rejectionOf,
} from '../../../../shared/domain/agent-sessions/policy-rules.ts';

const policy: AgentPolicy = {
  qids: ['0', '1'],
  allowed_actions: ['run_task', 'request_human', 'complete_session'],
  allowed_tasks: ['CheckT1'],
  allowed_overrides: {
    t1: { minimum: 10, maximum: 100 },
    detuning: { minimum: null, maximum: 5 },
    shots: { minimum: 100, maximum: null },
  },
  quality_gates: { r2: { minimum: 0.9, maximum: null } },
  allow_reconfigure: false,
  max_actions: 5,
};
const proposal: ProposedAction = {
  action_type: 'run_task',
  task_name: 'CheckT1',
  qids: ['0'],
  parameter_overrides: {},
};
const rejection = (fields: Partial<ProposedAction>, authorized = 0) =>
  rejectionOf(policy, authorized, { ...proposal, ...fields });

test('a value is accepted within inclusive bounds, under names that have bounds', () => {
  for (const value of [10, 55, 100])
    expect(gateValue(policy, 't1', value)).toEqual({ accepted: true, reason: '', minimum: 10, maximum: 100 });
  expect(gateValue(policy, 'detuning', -1e9).accepted).toBe(true);
  expect(gateValue(policy, 'shots', 1e9).accepted).toBe(true);
  for (const name of ['t2', 'toString']) {
    const reason = `The session's policy does not allow to set ${name}.`;
    expect(gateValue(policy, name, 50)).toEqual({ accepted: false, reason, minimum: null, maximum: null });
  }
});

test('a rejected value names the bounds that there are', () => {
  const reasonOf = (name: string, value: number) => gateValue(policy, name, value).reason;
  expect(gateValue(policy, 't1', 9).accepted).toBe(false);
  expect(reasonOf('t1', 9)).toBe("t1 is 9; the session's policy wants at least 10 and at most 100.");
  expect(reasonOf('detuning', 6)).toBe("detuning is 6; the session's policy wants at most 5.");
  expect(reasonOf('shots', 99)).toBe("shots is 99; the session's policy wants at least 100.");
  expect(reasonOf('shots', Number.POSITIVE_INFINITY)).toBe('shots must be a finite number.');
});

test('a result needs every quality metric of the policy, within its bounds', () => {
  expect(qualityProblem(policy, { r2: 0.9 })).toBeNull();
  expect(qualityProblem(policy, { r2: 0.89 })).toBe(
    "The quality metric r2 is 0.89; the session's policy wants at least 0.9.",
  );
  const incomplete: Record<string, number | null>[] = [{}, { r2: null }];
  for (const metrics of incomplete)
    expect(qualityProblem(policy, metrics)).toBe(
      'The result has no quality metric r2, which the policy asks for.',
    );
  const inherited = { ...policy, quality_gates: { toString: { minimum: 0, maximum: 1 } } };
  expect(qualityProblem(inherited, {})).toContain('no quality metric toString');
});

test('an action within the policy is allowed', () => {
  expect(rejection({ qids: ['0', '1'], parameter_overrides: { t1: 50 } }, 4)).toBeNull();
});

test('the first reason against an action is returned', () => {
  const only = { ...policy, allowed_actions: ['request_human' as const] };
  expect(rejectionOf(only, 0, proposal)).toBe("The session's policy does not allow run_task.");
  expect(rejection({}, 5)).toBe("The session's budget of 5 actions is used up; complete the session.");
  expect(rejection({ task_name: 'CheckRabi' })).toBe(
    "The session's policy does not allow the task CheckRabi.",
  );
  expect(rejection({ qids: ['0', '2'] })).toBe("The session's policy does not allow the target 2.");
  expect(rejection({ parameter_overrides: { t1: 50, t2: 1 } })).toBe(
    "The session's policy does not allow to set t2.",
  );
});

test('long names are cut in reasons', () => {
  expect(rejection({ task_name: 'x'.repeat(200) })).toMatch(/ x{100}\.$/);
  expect(rejection({ qids: ['9'.repeat(200)] })).toMatch(/ 9{64}\.$/);
});

test('only measurements are restricted to tasks, targets and parameters', () => {
  const elsewhere = { task_name: 'other', qids: ['9'], parameter_overrides: { t2: 1 } };
  expect(rejection({ action_type: 'request_human', ...elsewhere })).toBeNull();
});

test('completing a session needs neither permission nor budget', () => {
  const nothing = { ...policy, allowed_actions: [], max_actions: 0 };
  expect(rejectionOf(nothing, 9, { ...proposal, action_type: 'complete_session' })).toBeNull();
});
