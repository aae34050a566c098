import { expect, test, vi } from 'vitest';
import {
  createFairQueue,
  type FairQueueOptions,
  QueueFull,
  type Share,
} from '../../../shared/kernel/fair-queue.ts';

/** A queue on a clock of its own; each job takes the milliseconds that it names. */
function queueWithClock(options: Partial<FairQueueOptions> = {}) {
  let time = 0;
  const order: string[] = [];
  const queue = createFairQueue({ atOnce: 1, now: () => time, ...options });
  const job = (name: string, share: Share, duration = 10, deferred = false) =>
    queue.run(
      share,
      () => {
        order.push(name);
        time += duration;
      },
      { deferred },
    );
  return { queue, order, job };
}

const times = (count: number) => Array.from({ length: count }, (_, index) => index);

test('a user with many jobs delays the only job of another user by one job', async () => {
  const { order, job } = queueWithClock();
  const busy = times(100).map((index) => job(`busy ${index}`, { user: 'busy' }));
  const small = job('small', { user: 'small' });
  await Promise.all([...busy, small]);
  expect(order.indexOf('small')).toBe(1);
});

test('forty projects of one user have the share of one user', async () => {
  const { order, job } = queueWithClock();
  const many = times(400).map((index) => job('many', { user: 'many', project: `p${index % 40}` }));
  const one = times(100).map(() => job('one', { user: 'one', project: 'p' }));
  await Promise.all([...many, ...one]);
  const first = order.slice(0, 200);
  expect(Math.abs(first.filter((name) => name === 'one').length - 100)).toBeLessThanOrEqual(1);
});

test('projects of one user share equally', async () => {
  const { order, job } = queueWithClock();
  const large = times(100).map(() => job('large', { user: 'u', project: 'large' }));
  const small = times(10).map(() => job('small', { user: 'u', project: 'small' }));
  await Promise.all([...large, ...small]);
  expect(order.lastIndexOf('small')).toBeLessThanOrEqual(21);
});

test('users share time, not jobs: one long job counts as many short ones', async () => {
  const { order, job } = queueWithClock();
  const long = times(20).map(() => job('long', { user: 'long' }, 100));
  const short = times(200).map(() => job('short', { user: 'short' }, 10));
  await Promise.all([...long, ...short]);
  const longAmongFirst = order.slice(0, 110).filter((name) => name === 'long').length;
  expect(longAmongFirst).toBeGreaterThanOrEqual(8);
  expect(longAmongFirst).toBeLessThanOrEqual(12);
});

test('a user who was idle gets a fair share from now on, and no credit for the past', async () => {
  const { order, job } = queueWithClock();
  await job('late', { user: 'late' });
  await Promise.all(times(100).map(() => job('early', { user: 'early' })));
  order.length = 0;
  const early = times(20).map(() => job('early', { user: 'early' }));
  const late = times(20).map(() => job('late', { user: 'late' }));
  await Promise.all([...early, ...late]);
  expect(order.slice(0, 20).filter((name) => name === 'late').length).toBeLessThanOrEqual(11);
});

test('jobs of one project keep their order', async () => {
  const { order, job } = queueWithClock();
  await Promise.all(times(20).map((index) => job(String(index), { user: 'u', project: 'p' })));
  expect(order).toEqual(times(20).map(String));
});

test('deferred jobs run after all others', async () => {
  const { order, job } = queueWithClock();
  const blocking = job('first', { user: 'a' });
  const figure = job('figure', { user: 'b' }, 10, true);
  const fits = times(5).map(() => job('fit', { user: 'a' }));
  await Promise.all([blocking, figure, ...fits]);
  expect(order).toEqual(['first', 'fit', 'fit', 'fit', 'fit', 'fit', 'figure']);
});

test('a deferred job that has waited long enough queues with the others', async () => {
  const { order, job } = queueWithClock({ deferMs: 25 });
  const blocking = job('first', { user: 'a' });
  const figure = job('figure', { user: 'b' }, 10, true);
  const fits = times(50).map(() => job('fit', { user: 'a' }));
  await Promise.all([blocking, figure, ...fits]);
  expect(order.indexOf('figure')).toBeGreaterThan(2);
  expect(order.indexOf('figure')).toBeLessThan(6);
});

test('a user who fills the waiting list gets refused alone', async () => {
  const { queue, order, job } = queueWithClock({ waiting: 10, waitingPerUser: 4 });
  const jobs = times(10).map(() => job('busy', { user: 'busy' }));
  const other = job('other', { user: 'other' });
  const ends = await Promise.allSettled(jobs);
  await other;
  const refused = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
  expect(refused).toHaveLength(5);
  for (const reason of refused) expect(reason).toMatchObject({ constructor: QueueFull, scope: 'user' });
  expect(order).toContain('other');
  expect(queue.load).toEqual({ waiting: 0, running: 0 });
});

test('more jobs than may wait in all are refused', async () => {
  const { job } = queueWithClock({ waiting: 3 });
  const ends = await Promise.allSettled(times(6).map((index) => job('job', { user: `u${index}` })));
  const refused = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
  expect(refused.map((reason) => reason.scope)).toEqual(['all', 'all']);
});

test('a waiting job whose signal is aborted leaves the queue; a failed job frees its slot', async () => {
  const { queue, order, job } = queueWithClock();
  const failing = queue.run({ user: 'a' }, () => Promise.reject(new Error('broken')));
  const caller = new AbortController();
  const given = queue.run({ user: 'a' }, () => order.push('aborted'), { signal: caller.signal });
  const last = job('last', { user: 'a' });
  caller.abort(new Error('gone'));
  await expect(failing).rejects.toThrow('broken');
  await expect(given).rejects.toThrow('gone');
  await last;
  expect(order).toEqual(['last']);
  await expect(queue.run({ user: 'a' }, () => 1, { signal: caller.signal })).rejects.toThrow('gone');
});

test('as many jobs run at the same time as there are slots', async () => {
  const { queue } = queueWithClock({ atOnce: 3 });
  let running = 0;
  let most = 0;
  await Promise.all(
    times(12).map((index) =>
      queue.run({ user: `u${index % 2}` }, async () => {
        running += 1;
        most = Math.max(most, running);
        await new Promise((resolve) => setImmediate(resolve));
        running -= 1;
      }),
    ),
  );
  expect(most).toBe(3);
});

test('a limit for each user leaves slots to others while one user has long jobs', async () => {
  const { queue } = queueWithClock({ atOnce: 2, atOncePerUser: 1, waitingPerUser: 1 });
  let end = () => {};
  const long = queue.run({ user: 'a' }, () => new Promise<void>((resolve) => (end = resolve)));
  const next = queue.run({ user: 'a' }, () => 'next');
  await expect(queue.run({ user: 'a' }, () => 'third')).rejects.toMatchObject({ scope: 'user' });
  expect(await queue.run({ user: 'b' }, () => 'other')).toBe('other');
  expect(queue.load).toEqual({ waiting: 1, running: 1 });
  end();
  await long;
  expect(await next).toBe('next');
});

test('a job that cannot get what it needs lets jobs behind it start, and starts when it can', async () => {
  const { queue, order } = queueWithClock({ atOnce: 2 });
  let isThreadFree = false;
  const needy = queue.run({ user: 'needy' }, () => order.push('needy'), { claim: () => isThreadFree });
  const other = queue.run({ user: 'other' }, () => order.push('other'));
  await other;
  expect(order).toEqual(['other']);
  isThreadFree = true;
  await queue.run({ user: 'other' }, () => order.push('other again'));
  await needy;
  expect(order).toContain('needy');
});

test('a job claims what it needs in the same tick in which a slot is free', () => {
  const { queue } = queueWithClock();
  let claims = 0;
  const claim = () => {
    claims += 1;
    return true;
  };
  void queue.run({ user: 'first' }, () => undefined, { claim });
  void queue.run({ user: 'second' }, () => undefined, { claim });
  expect(claims).toBe(1);
});

test('users share by the cost that jobs report, if they report one', async () => {
  const { queue, order } = queueWithClock();
  const job = (name: string, cost: number) =>
    queue.run({ user: name }, () => order.push(name), { cost: () => cost });
  const dear = times(10).map(() => job('dear', 100));
  const cheap = times(100).map(() => job('cheap', 10));
  await Promise.all([...dear, ...cheap]);
  expect(order.slice(0, 55).filter((name) => name === 'dear').length).toBeLessThanOrEqual(7);
});

/** Jobs that run until they are ended by hand, in a queue on a clock of its own. */
function openJobs(options: FairQueueOptions) {
  let time = 0;
  const queue = createFairQueue({ now: () => time, ...options });
  const ends: (() => void)[] = [];
  return {
    start: (user: string) =>
      void queue.run({ user }, () => new Promise<void>((resolve) => void ends.push(resolve))),
    endOldest: () => ends.shift()?.(),
    pass: (milliseconds: number) => {
      time += milliseconds;
    },
    /** Number of jobs under way. */
    async running() {
      await new Promise(setImmediate);
      return queue.load.running;
    },
  };
}

test('a user alone has many jobs at once, and few while another user has one', async () => {
  const jobs = openJobs({ atOnce: 10, atOncePerUser: 4, atOncePerUserShared: 1 });
  for (const _ of times(8)) jobs.start('busy');
  expect(await jobs.running()).toBe(4);
  jobs.start('small');
  expect(await jobs.running()).toBe(5);
  for (const _ of times(3)) {
    jobs.endOldest();
    await jobs.running();
  }
  // One of each: the ended jobs of the busy user were not followed by others.
  expect(await jobs.running()).toBe(2);
});

test('a user has many jobs at once again when others have used the queue for three seconds no more', async () => {
  const jobs = openJobs({ atOnce: 10, atOncePerUser: 4, atOncePerUserShared: 1 });
  jobs.start('small');
  expect(await jobs.running()).toBe(1);
  jobs.endOldest();
  expect(await jobs.running()).toBe(0);
  for (const _ of times(8)) jobs.start('busy');
  expect(await jobs.running()).toBe(1);
  jobs.pass(3001);
  jobs.endOldest();
  expect(await jobs.running()).toBe(4);
});

test('a user who always has jobs pauses between them while another user has jobs, and not when alone', async () => {
  vi.useFakeTimers();
  try {
    const queue = createFairQueue({ atOnce: 4, restShared: 1 });
    const work = (milliseconds: number) => () => new Promise((end) => setTimeout(end, milliseconds));
    let busy = 0;
    const keepBusy = async () => {
      for (;;) {
        await queue.run({ user: 'busy' }, work(20));
        busy += 1;
      }
    };
    void keepBusy();
    await vi.advanceTimersByTimeAsync(1000);
    expect(busy).toBeGreaterThan(45);
    busy = 0;
    for (let turn = 0; turn < 10; turn += 1) {
      await Promise.all([queue.run({ user: 'small' }, work(1)), vi.advanceTimersByTimeAsync(100)]);
    }
    expect(busy).toBeGreaterThan(22);
    expect(busy).toBeLessThan(28);
  } finally {
    vi.useRealTimers();
  }
});
