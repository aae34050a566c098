import fc from 'fast-check';
import { expect, test } from 'vitest';
import { clockRemark, observedTimes } from '../../../activities/record/observed-times.ts';

const at = (time: string) => new Date(`2026-11-26T${time}Z`);
const window = { requested: at('10:00:00'), answered: at('10:01:00') };

test('times of a clock that is right are taken as they are', () => {
  const times = observedTimes(
    { started_at: '2026-11-26T10:00:10Z', finished_at: '2026-11-26T10:00:40Z' },
    window,
  );
  expect(times).toMatchObject({ start_at: at('10:00:10'), end_at: at('10:00:40'), offset: 0 });
  expect(clockRemark(times.offset)).toBeNull();
});

test('times of a clock that is ahead are shifted back, and the offset is reported', () => {
  const times = observedTimes(
    { started_at: '2026-11-26T19:00:10+00:00', finished_at: '2026-11-26T19:00:40+00:00' },
    window,
  );
  expect(times).toMatchObject({ start_at: at('10:00:30'), end_at: at('10:01:00') });
  expect(times.reported).toEqual({
    backend_started_at: '2026-11-26T19:00:10.000Z',
    backend_finished_at: '2026-11-26T19:00:40.000Z',
  });
  expect(clockRemark(times.offset)).toBe('The clock of its backend is 8 h 59 min 40 s ahead of ours.');
});

test('times of a clock that is behind are shifted forward', () => {
  const times = observedTimes(
    { started_at: '2026-11-26T09:00:00Z', finished_at: '2026-11-26T09:00:30Z' },
    window,
  );
  expect(times).toMatchObject({ start_at: at('10:00:00'), end_at: at('10:00:30') });
  expect(clockRemark(times.offset)).toBe('The clock of its backend is 1 h behind ours.');
});

test('a time without an offset counts as UTC, whatever zone this machine is in', () => {
  const { start_at } = observedTimes({ started_at: '2026-11-26T10:00:10' }, window);
  expect(start_at).toEqual(at('10:00:10'));
});

test('an offset other than UTC is understood', () => {
  const { start_at, offset } = observedTimes({ started_at: '2026-11-26T19:00:10+09:00' }, window);
  expect([start_at, offset]).toEqual([at('10:00:10'), 0]);
});

test('without reported times a measurement ended when it was answered', () => {
  expect(observedTimes({}, window)).toEqual({
    start_at: null,
    end_at: window.answered,
    offset: 0,
    reported: {},
  });
  expect(observedTimes({ started_at: 'yesterday' }, window).start_at).toBeNull();
});

test('whatever a backend reports, a measurement lies between its request and its answer and does not end before it began', () => {
  const time = fc.date({ min: at('00:00:00'), max: new Date('2027-11-26T00:00:00Z'), noInvalidDate: true });
  fc.assert(
    fc.property(time, time, time, fc.nat(3_600_000), (started, finished, requested, took) => {
      const answered = new Date(requested.getTime() + took);
      const reported = { started_at: started.toISOString(), finished_at: finished.toISOString() };
      const { start_at, end_at } = observedTimes(reported, { requested, answered });
      expect(start_at?.getTime()).toBeGreaterThanOrEqual(requested.getTime());
      expect(end_at.getTime()).toBeGreaterThanOrEqual(start_at?.getTime() ?? 0);
      expect(end_at.getTime()).toBeLessThanOrEqual(answered.getTime());
    }),
  );
});
