import { expect, test } from 'vitest';
import { showProgress } from '../../../scripts/demo/display.ts';
import {
  clock,
  progressLines,
  progressText,
  type RunSnapshot,
  remainingSeconds,
  type StageProgress,
} from '../../../scripts/demo/progress.ts';
import { createScreen } from '../../../scripts/start/screen.ts';

const begin = new Date('2026-01-01T00:00:00Z');
const after = (seconds: number) => new Date(begin.getTime() + seconds * 1000);

function stage(fields: Partial<StageProgress> = {}): StageProgress {
  return {
    name: 'Rabi',
    total: 16,
    done: 0,
    failed: 0,
    skipped: 0,
    startedAt: begin,
    endedAt: null,
    ...fields,
  };
}

function snapshot(...stages: StageProgress[]): RunSnapshot {
  return { status: 'running', message: null, stages, ended: false };
}

function collector(isTTY: boolean, columns = 120) {
  let text = '';
  const screen = createScreen({ write: (part) => (text += part), isTTY, columns }, { TERM: 'xterm' });
  return { screen, text: () => text };
}

async function* each(...snapshots: RunSnapshot[]) {
  yield* snapshots;
}

/** A clock that gives these seconds, one at each look. */
function clockOf(...seconds: number[]): () => Date {
  let look = 0;
  return () => after(seconds[look++] ?? 0);
}

test('estimates the rest of a stage from what is settled', () => {
  expect(remainingSeconds(stage(), after(4))).toBeNull();
  expect(remainingSeconds(stage({ done: 3, failed: 1 }), after(4))).toBe(12);
  expect(remainingSeconds(stage({ done: 16 }), after(9))).toBe(0);
});

test('writes times as minutes and seconds, with hours where there are any', () => {
  expect([0, 9.6, 61, 3725].map(clock)).toEqual(['0:00', '0:10', '1:01', '1:02:05']);
});

test('says for each stage what is done, failed, in total, elapsed and remaining', () => {
  const stages = [
    stage({ done: 15, failed: 1, endedAt: after(8) }),
    stage({ name: 'T1', total: 15, done: 5, startedAt: after(8) }),
  ];
  expect(progressLines(snapshot(...stages), after(12))).toEqual([
    '  Rabi  ████████████████████████  15 done  1 failed  16 in total  elapsed 0:08',
    '  T1    ████████░░░░░░░░░░░░░░░░   5 done  0 failed  15 in total  elapsed 0:04  remaining about 0:08',
  ]);
  expect(progressText(stage({ done: 2, skipped: 2 }), after(4))).toBe(
    'Rabi: 2 done, 0 failed, 2 skipped, 16 in total, elapsed 0:04, remaining about 0:12',
  );
});

test('draws in place on a terminal, and keeps other lines above', async () => {
  const { screen, text } = collector(true);
  screen.live(['one']);
  screen.line('news');
  screen.live(['two', 'three']);
  screen.settle();
  screen.line('end');
  expect(text()).toBe('one\n\u001b[1A\r\u001b[0Jnews\none\n\u001b[1A\r\u001b[0Jtwo\nthree\nend\n');
});

test('cuts a live line to the width of the terminal, so that it never takes two rows', () => {
  const { screen, text } = collector(true, 10);
  screen.live(['0123456789abc']);
  expect(text()).toBe('012345678\n');
});

test('writes a plain line for a change, at most one a second, but for the end of a stage', async () => {
  const { screen, text } = collector(false);
  await showProgress(
    screen,
    each(
      snapshot(stage()),
      snapshot(stage()),
      snapshot(stage({ done: 2 })),
      snapshot(stage({ done: 4 })),
      snapshot(stage({ done: 8 })),
      snapshot(stage({ done: 16, endedAt: after(1.8) })),
      {
        ...snapshot(stage({ done: 16, endedAt: after(1.8) })),
        ended: true,
        status: 'completed',
        message: 'Done.',
      },
    ),
    clockOf(0, 0.9, 0.95, 1.1, 1.5, 1.8, 1.9),
  );
  expect(text().split('\n')).toEqual([
    'Rabi: 0 done, 0 failed, 16 in total, elapsed 0:00, remaining ?',
    'Rabi: 4 done, 0 failed, 16 in total, elapsed 0:01, remaining about 0:03',
    'Rabi: 16 done, 0 failed, 16 in total, elapsed 0:02',
    'completed: Done.',
    '',
  ]);
});

test('writes no escape codes where nothing can be redrawn', async () => {
  const { screen, text } = collector(false);
  screen.live(['never']);
  screen.line('plain');
  expect(text()).toBe('plain\n');
});
