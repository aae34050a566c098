import proto from '@temporalio/proto';
import { expect, test } from 'vitest';
import { lastChange, whyEnded } from '../../../scripts/backup/settle-rules.ts';

const storeFrom = new Date('2026-11-27T03:00:00Z');
const still = { isOpen: true, pending: 0, changedAt: new Date('2026-11-27T02:59:59Z') };

test('a run that stood still while the backup was made goes on', () => {
  expect(whyEnded(still, storeFrom)).toBeNull();
});

test('a run of which store and Temporal may know different things is ended', () => {
  expect(whyEnded(null, storeFrom)).toMatch(/does not know/);
  expect(whyEnded({ ...still, isOpen: false }, storeFrom)).toMatch(/ended while the backup/);
  expect(whyEnded({ ...still, pending: 1 }, storeFrom)).toMatch(/was measuring/);
  expect(whyEnded({ ...still, changedAt: storeFrom }, storeFrom)).toMatch(/went on while/);
});

test('a timer that fired in the restored Temporal is no change of a run, whoever made the copy', () => {
  const { EventType } = proto.temporal.api.enums.v1;
  const at = (second: number) => new Date(Date.UTC(2026, 10, 27, 3, 0, second));
  const history = [
    { type: EventType.EVENT_TYPE_WORKFLOW_TASK_SCHEDULED, at: at(40) },
    { type: EventType.EVENT_TYPE_TIMER_FIRED, at: at(40) },
    { type: EventType.EVENT_TYPE_TIMER_STARTED, at: at(10) },
    { type: EventType.EVENT_TYPE_WORKFLOW_TASK_COMPLETED, at: at(10) },
  ];
  expect(lastChange(history, at(30))).toEqual(at(10));
  expect(lastChange(history, null)).toEqual(at(10));
});

test('of a Temporal that was copied at an unknown time after the store, everything that a worker or a person did counts', () => {
  const { EventType } = proto.temporal.api.enums.v1;
  const at = (second: number) => new Date(Date.UTC(2026, 10, 27, 3, 0, second));
  const answered = { type: EventType.EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED, at: at(50) };
  const asked = { type: EventType.EVENT_TYPE_WORKFLOW_TASK_COMPLETED, at: at(10) };
  expect(lastChange([answered, asked], null)).toEqual(at(50));
  expect(lastChange([answered, asked], at(30))).toEqual(at(10));
  expect(lastChange([], null)).toBeUndefined();
});
