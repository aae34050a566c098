import { describe, expect, test } from 'vitest';
import type {
  MaintainAction,
  MaintainNode,
  MaintainOutcome,
} from '../../../../shared/domain/maintenance/maintain-model.ts';
import { createMaintenance, retryTime } from '../../../../shared/domain/maintenance/maintain-rules.ts';
import { randomFrom } from '../../../../shared/science/device/random.ts';

const NOW = Date.parse('2026-03-01T00:00:00Z');

function node(id: string, dependsOn: string[] = [], changes: Partial<MaintainNode> = {}): MaintainNode {
  const [task = '', target = '0'] = id.split('@');
  const known = {
    holds: true,
    reason: 'It is fresh.',
    checkSeconds: 1,
    seconds: 10,
    retryAt: null,
    refinedBy: [],
  };
  return { id, task, target, dependsOn, ...known, ...changes };
}

const due = { holds: false, reason: 'Its window has passed.' };

/**
 * A device whose nodes are right or wrong. A wrong ancestor spoils the data of those that depend on it, and a wrong refinement
 * makes what reads it look wrong.
 */
interface Device {
  wrong: Set<string>;
  /** Cannot be calibrated. */
  stuck?: ReadonlySet<string>;
}

/** Lets a maintenance act on a device until it asks for nothing more. */
function maintain(nodes: readonly MaintainNode[], { wrong, stuck = new Set() }: Device, seconds = 1e6) {
  const maintenance = createMaintenance(nodes, { now: NOW, seconds });
  const byId = new Map(nodes.map((each) => [each.id, each]));
  const looksWrong = (id: string) =>
    wrong.has(id) || (byId.get(id)?.refinedBy ?? []).some((each) => wrong.has(each));
  const ancestors = (id: string): string[] =>
    (byId.get(id)?.dependsOn ?? []).flatMap((each) => [each, ...ancestors(each)]);
  const done: string[] = [];
  const answer = ({ kind, node: id }: MaintainAction): MaintainOutcome => {
    const spoilt = ancestors(id).some((each) => wrong.has(each));
    if (kind === 'check') {
      if (spoilt) return { kind: 'checked', outcome: 'bad_data' };
      return { kind: 'checked', outcome: looksWrong(id) ? 'out_of_specification' : 'in_specification' };
    }
    if (spoilt || stuck.has(id)) return { kind: 'failed', message: 'No line.' };
    const changed = looksWrong(id);
    wrong.delete(id);
    return { kind: 'calibrated', changed };
  };
  for (let actions = maintenance.next(); actions.length > 0; actions = maintenance.next()) {
    for (const action of actions) {
      done.push(`${action.kind} ${action.node}`);
      maintenance.apply(action, answer(action));
    }
    expect(done.length).toBeLessThan(20 * nodes.length + 20);
  }
  return { done, ...maintenance.result(), decisions: maintenance.decisions() };
}

const chain = (changes: Record<string, Partial<MaintainNode>> = {}) => [
  node('a', [], changes['a']),
  node('b', ['a'], changes['b']),
  node('c', ['b'], changes['c']),
  node('d', ['c'], changes['d']),
];

describe('a maintenance', () => {
  test('measures nothing while everything holds', () => {
    const { done, holds, hardwareSeconds } = maintain(chain(), { wrong: new Set() });
    expect({ done, holds, hardwareSeconds }).toEqual({
      done: [],
      holds: ['a', 'b', 'c', 'd'],
      hardwareSeconds: 0,
    });
  });

  test('checks what is due, and only that if it is in specification', () => {
    expect(maintain(chain({ c: due }), { wrong: new Set() }).done).toEqual(['check c']);
  });

  test('runs a task again whose check is out of specification, and checks what reads its value', () => {
    const { done } = maintain(chain({ b: due }), { wrong: new Set(['b']) });
    expect(done).toEqual(['check b', 'calibrate b', 'check c']);
  });

  test('repairs the first broken ancestor before what depends on it', () => {
    const { done, notRepaired } = maintain(chain({ d: due }), { wrong: new Set(['a']) });
    expect(done).toEqual([
      'check d',
      'check c',
      'check b',
      'check a',
      'calibrate a',
      'check b',
      'check c',
      'check d',
    ]);
    expect(notRepaired).toEqual([]);
  });

  test('repairs several broken ancestors from the first one on', () => {
    const { done } = maintain(chain({ d: due }), { wrong: new Set(['a', 'c']) });
    expect(done.filter((each) => each.startsWith('calibrate'))).toEqual(['calibrate a', 'calibrate c']);
  });

  test('does not measure what reads a value that was found again unchanged', () => {
    const nodes = chain({ b: { ...due, checkSeconds: null } });
    expect(maintain(nodes, { wrong: new Set() }).done).toEqual(['calibrate b']);
  });

  test('runs a task that has no check in place of it', () => {
    const nodes = [node('a', [], { ...due, checkSeconds: null }), node('b', ['a'])];
    expect(maintain(nodes, { wrong: new Set(['a']) }).done).toEqual(['calibrate a', 'check b']);
  });

  test('gives up what cannot be repaired, and does not calibrate on top of it', () => {
    const device = { wrong: new Set(['b']), stuck: new Set(['b']) };
    const { done, notRepaired, holds } = maintain(chain({ d: due }), device);
    expect(done.filter((each) => each.startsWith('calibrate'))).toEqual(['calibrate b']);
    expect(notRepaired.map((each) => each.node)).toEqual(['b', 'c', 'd']);
    expect(notRepaired[0]?.reason).toBe('Its calibration failed: No line.');
    expect(notRepaired[1]?.reason).toBe('It depends on b, which could not be repaired.');
    expect(holds).toEqual(['a']);
  });

  test('looks upstream when a calibration fails, and tries again if something was repaired there', () => {
    const nodes = [node('a'), node('b', ['a'], { ...due, checkSeconds: null })];
    const { done, notRepaired } = maintain(nodes, { wrong: new Set(['a', 'b']) });
    expect(done).toEqual(['calibrate b', 'check a', 'calibrate a', 'calibrate b']);
    expect(notRepaired).toEqual([]);
  });

  test('leaves alone until its time what failed before', () => {
    const retryAt = NOW + 3_600_000;
    const { done, notRepaired } = maintain([node('a', [], { ...due, retryAt })], { wrong: new Set(['a']) });
    expect(done).toEqual([]);
    expect(notRepaired[0]?.reason).toBe('Its window has passed. It is tried again after 2026-03-01T01:00Z.');
    expect(maintain([node('a', [], { ...due, retryAt: NOW })], { wrong: new Set() }).done).toEqual([
      'check a',
    ]);
  });

  test('ends when its hardware time is used up, and says what is left', () => {
    const nodes = ['a', 'b', 'c'].map((id) => node(id, [], due));
    const { done, postponed, hardwareSeconds } = maintain(nodes, { wrong: new Set(['a', 'b', 'c']) }, 15);
    expect(done).toEqual(['check a', 'check b', 'check c', 'calibrate a']);
    expect(postponed).toEqual(['b', 'c']);
    expect(hardwareSeconds).toBe(13);
  });

  test('gives a reason for each decision', () => {
    const { decisions } = maintain(chain({ c: due }), { wrong: new Set(['b']) });
    expect(decisions.map(({ node: id, decision, reason }) => `${decision} ${id}: ${reason}`)).toEqual([
      'check c: Its window has passed.',
      'diagnose c: Its check has bad data.',
      'check b: c depends on it.',
      'calibrate b: Its check is out of specification.',
      'holds b: It was calibrated and changed.',
      'check c: What it depends on was repaired.',
      'holds c: Its check is in specification.',
    ]);
  });

  test('says with a decision which check led to it, and at any time what is decided of each node', () => {
    const maintenance = createMaintenance(chain({ b: due }), { now: NOW, seconds: 100 });
    const [check] = maintenance.next();
    if (!check) throw new Error('Nothing is checked.');
    const found = { outcome: 'out_of_specification', reason: 'It moved.' } as const;
    maintenance.apply(check, { kind: 'checked', ...found });
    expect(maintenance.decisions()).toEqual([
      { node: 'b', decision: 'check', reason: due.reason },
      { node: 'b', decision: 'calibrate', reason: 'Its check is out of specification.', check: found },
    ]);
    expect(maintenance.standing().map(({ node: id, decision }) => `${id} ${decision}`)).toEqual([
      ...['a holds', 'b calibrate', 'c holds', 'd holds'],
    ]);
  });

  test('checks again what was about to be run when something that it reads was repaired', () => {
    const nodes = [node('a'), node('b', ['a'], due), node('c', ['a'], due)];
    const maintenance = createMaintenance(nodes, { now: NOW, seconds: 100 });
    const outcomes: Record<string, MaintainOutcome> = {
      'check b': { kind: 'checked', outcome: 'out_of_specification' },
      'check c': { kind: 'checked', outcome: 'bad_data' },
      'check a': { kind: 'checked', outcome: 'out_of_specification' },
      'calibrate a': { kind: 'calibrated', changed: true },
    };
    const steps: string[][] = [];
    for (let step = 0; step < 4; step++) {
      const actions = maintenance.next();
      steps.push(actions.map(({ kind, node: id }) => `${kind} ${id}`));
      for (const action of actions) {
        const outcome = outcomes[`${action.kind} ${action.node}`];
        if (outcome && step < 3) maintenance.apply(action, outcome);
      }
    }
    expect(steps).toEqual([['check b', 'check c'], ['check a'], ['calibrate a'], ['check b', 'check c']]);
  });

  test('refuses the outcome of an action that was not requested', () => {
    const maintenance = createMaintenance(chain(), { now: NOW, seconds: 1 });
    const action = { kind: 'check', node: 'a', reason: '', seconds: 1 } as const;
    expect(() => maintenance.apply(action, { kind: 'failed', message: '' })).toThrow(
      'No check of a was requested.',
    );
  });
});

describe('a value that later tasks find finer', () => {
  /** A pulse whose frequency a later fringe finds, which needs the pulse. */
  const pulse = (changes: Partial<MaintainNode> = {}) => [
    node('rabi'),
    node('pulse', ['rabi'], { ...due, refinedBy: ['fringe'], ...changes }),
    node('fringe', ['pulse']),
  ];

  test('is checked before what reads it is run again, and only the wrong one is run', () => {
    const { done, holds, decisions } = maintain(pulse(), { wrong: new Set(['fringe']) });
    expect(done).toEqual(['check pulse', 'check fringe', 'calibrate fringe', 'check pulse']);
    expect(holds).toEqual(['rabi', 'pulse', 'fringe']);
    expect(
      decisions.map(({ node: id, decision, reason }) => `${decision} ${id}: ${reason}`).slice(1, 3),
    ).toEqual([
      'diagnose pulse: Its check is out of specification. fringe found what it reads, and is checked first.',
      'check fringe: pulse reads what it found.',
    ]);
  });

  test('is right, so what reads it is run again', () => {
    const { done, decisions } = maintain(pulse(), { wrong: new Set(['pulse']) });
    // The wrong pulse spoils the fringe, which is checked again once the pulse is right.
    expect(done).toEqual(['check pulse', 'check fringe', 'calibrate pulse', 'check fringe']);
    expect(decisions.find(({ decision }) => decision === 'calibrate')?.reason).toBe(
      'What found the values that it reads cannot be judged before it is repaired.',
    );
  });

  test('is not checked twice', () => {
    const nodes = [
      node('pulse', [], { ...due, refinedBy: ['fringe'] }),
      node('other', [], { ...due, refinedBy: ['fringe'] }),
      node('fringe'),
    ];
    const { done } = maintain(nodes, { wrong: new Set(['pulse', 'other']) });
    expect(done.filter((each) => each === 'check fringe')).toHaveLength(1);
    expect(done.filter((each) => each.startsWith('calibrate')).sort()).toEqual([
      'calibrate other',
      'calibrate pulse',
    ]);
  });

  test('is left alone if its task failed lately', () => {
    const nodes = pulse();
    nodes[2] = node('fringe', ['pulse'], { ...due, retryAt: NOW + 3_600_000 });
    expect(maintain(nodes, { wrong: new Set(['pulse']) }).done).toEqual(['check pulse', 'calibrate pulse']);
  });

  test('is not waited for if what finds it waits for the same task by way of others', () => {
    const nodes = [
      node('pulse', [], { ...due, refinedBy: ['fringe'] }),
      node('between', ['pulse'], due),
      node('fringe', ['between'], due),
    ];
    const { done, notRepaired, holds } = maintain(nodes, { wrong: new Set(['pulse']) });
    expect(done).toEqual(['check pulse', 'calibrate pulse', 'check between', 'check fringe']);
    expect({ notRepaired, holds }).toEqual({ notRepaired: [], holds: ['pulse', 'between', 'fringe'] });
  });
});

test('whatever breaks in whatever graph is repaired, and only that is calibrated', () => {
  for (let round = 0; round < 200; round++) {
    const random = randomFrom('maintain', round);
    const ids = Array.from({ length: 12 }, (_, index) => `n${index}`);
    const wrong = new Set(ids.filter(() => random.uniform() < 0.2));
    const nodes = ids.map((id, index) => {
      const dependsOn = ids.slice(0, index).filter(() => random.uniform() < 0.25);
      return node(id, dependsOn, due);
    });
    // An upstream node that is due comes first in the list only by chance.
    const shuffled = nodes.map((each) => ({ each, key: random.uniform() })).sort((a, b) => a.key - b.key);
    const broken = [...wrong].sort();
    const { done, notRepaired, holds } = maintain(
      shuffled.map(({ each }) => each),
      { wrong },
    );
    const calibrated = done.flatMap((each) => (each.startsWith('calibrate') ? each.slice(10) : []));
    expect(calibrated.sort()).toEqual(broken);
    expect(notRepaired).toEqual([]);
    expect(holds).toHaveLength(ids.length);
  }
});

test('what fails is tried again after an hour, then twice as long each time, at most a week', () => {
  const hours = [1, 2, 3, 4, 20].map((failures) => (retryTime(failures, NOW) - NOW) / 3_600_000);
  expect(hours).toEqual([1, 2, 4, 8, 168]);
});

test('in whatever graph with refinements, all that breaks is repaired and nothing is waited for in vain', () => {
  for (let round = 0; round < 200; round++) {
    const random = randomFrom('refinements', round);
    const ids = Array.from({ length: 10 }, (_, index) => `n${index}`);
    const nodes = ids.map((id, index) => {
      const dependsOn = ids.slice(0, index).filter(() => random.uniform() < 0.25);
      const refinedBy = ids.slice(index + 1).filter(() => random.uniform() < 0.15);
      return node(id, dependsOn, { ...due, refinedBy });
    });
    const wrong = new Set(ids.filter(() => random.uniform() < 0.2));
    const broken = [...wrong];
    const { done, notRepaired, postponed, holds } = maintain(nodes, { wrong });
    for (const id of broken) expect(done).toContain(`calibrate ${id}`);
    expect({ wrong: [...wrong], notRepaired, postponed }).toEqual({
      wrong: [],
      notRepaired: [],
      postponed: [],
    });
    expect(holds).toHaveLength(ids.length);
  }
});
