import { expect, test } from 'vitest';
import {
  type BackendWorkerDocument,
  backendDescription,
  connectedWorkerOf,
} from '../../../../shared/domain/backend-workers/model.ts';
import { dueDescriptions, isConnected } from '../../../../shared/domain/backend-workers/rules.ts';
import { executionNamed, projectNamed } from '../../../support/ids.ts';

const now = new Date('2026-03-01T12:00:00Z');
const ago = (seconds: number) => new Date(now.getTime() - 1000 * seconds);
const description = { software: 'x', version: '', at_once: 1, problem: null, tasks: [] };

const worker = (changes: Partial<BackendWorkerDocument> = {}): BackendWorkerDocument => ({
  _id: 'fridge-1/a',
  backend: 'fridge-1',
  identity: 'a',
  since: ago(600),
  seen_at: ago(5),
  measuring: [],
  described_at: null,
  description: null,
  ...changes,
});
const measurement = (project: string) => ({
  project_id: projectNamed(project),
  execution_id: executionNamed('20260301-001'),
  what: 'CheckT1 · 3 · 1',
  progress: 0.5,
  since: ago(9),
});

test('a worker that was seen within three looks is connected', () => {
  expect(isConnected(worker({ seen_at: ago(44) }), now)).toBe(true);
  expect(isConnected(worker({ seen_at: ago(46) }), now)).toBe(false);
});

test('a worker is asked when it appears, and then every minute', () => {
  expect(dueDescriptions([worker()], now)).toBe(1);
  expect(dueDescriptions([worker({ described_at: ago(50), description })], now)).toBe(0);
  expect(dueDescriptions([worker({ described_at: ago(60), description })], now)).toBe(1);
  expect(dueDescriptions([worker({ seen_at: ago(46) })], now)).toBe(0);
});

test('a worker that cannot describe itself is not asked every minute', () => {
  expect(dueDescriptions([worker({ described_at: ago(600) })], now)).toBe(0);
  expect(dueDescriptions([worker({ described_at: ago(3600) })], now)).toBe(1);
});

test('a worker without a free place is not asked, because it could not answer', () => {
  const busy = { measuring: [measurement('own')] };
  expect(dueDescriptions([worker(busy)], now)).toBe(0);
  const wide = { ...description, at_once: 2 };
  expect(dueDescriptions([worker({ ...busy, described_at: ago(90), description: wide })], now)).toBe(1);
});

test('of many workers, only some are queried at the same time', () => {
  expect(dueDescriptions(Array(50).fill(worker()), now)).toBe(8);
});

test('what a worker measures for a project of others is not named', () => {
  const shown = connectedWorkerOf(
    worker({ measuring: [measurement('own'), measurement('theirs')] }),
    new Set(['own']),
  );
  expect(shown.measuring).toEqual([
    {
      project_id: 'own',
      execution_id: '20260301-001',
      what: 'CheckT1 · 3 · 1',
      progress: 0.5,
      since: '2026-03-01T11:59:51.000Z',
    },
    { project_id: null, execution_id: null, what: null, progress: 0.5, since: '2026-03-01T11:59:51.000Z' },
  ]);
});

test('a description needs its identity only, and later versions may add to it', () => {
  expect(backendDescription.parse({ contract: 1, identity: 'a', colour: 'blue' })).toMatchObject({
    at_once: 1,
    problem: null,
    tasks: [],
  });
  expect(backendDescription.safeParse({ contract: 1 }).success).toBe(false);
});
