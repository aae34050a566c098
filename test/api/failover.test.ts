import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../shared/kernel/new-ids.ts';
import { type Fate, type ProxiedCommand, refusal } from '../support/mongo-proxy.ts';
import { first, openPlace, type Place, post, put } from './creations.ts';
import type { Answer } from './harness.ts';

const isOfStore = ({ name }: ProxiedCommand) => !/^(?:hello|ismaster|endSessions)$/i.test(name);
const isWrite = ({ name }: ProxiedCommand) => /^(?:insert|update|delete|findAndModify)$/.test(name);

/** What a member of a replica set answers that is no primary, or stops being one. */
const notPrimary: [number, string][] = [
  [10107, 'NotWritablePrimary'],
  [13435, 'NotPrimaryNoSecondaryOk'],
  [11602, 'InterruptedDueToReplStateChange'],
  [189, 'PrimarySteppedDown'],
];

const fateOf: Record<string, (command: ProxiedCommand) => Fate> = {
  ...Object.fromEntries(
    notPrimary.map(([code, name]) => [
      `is answered with ${name} (${code})`,
      // The server labels a write that the driver may repeat; reads are repeated without a label.
      (command: ProxiedCommand) => ({
        reply: refusal(code, name, command.body['txnNumber'] === undefined ? [] : ['RetryableWriteError']),
      }),
    ]),
  ),
  'loses its connection before the server sees it': () => 'cut',
  'loses its answer': () => 'lose',
};

type Ask = (place: Place) => Promise<Answer>;
const get =
  (url: string | ((place: Place) => string)): Ask =>
  (place) =>
    place.laboratory.as(typeof url === 'string' ? url : url(place));

const requests: Record<string, Ask> = {
  'a list': get('/chips/CHIP/qubits'),
  'a list with a total': get('/executions?chip_id=CHIP'),
  'the newest of each': get('/task-results/qubits/latest?chip_id=CHIP&task=CheckT1'),
  'one document': get((place) => `/tasks/${first(place, 'task_id')}/result`),
  'figures of a chip': get('/metrics/chips/CHIP/metrics'),
  'a lineage': get((place) => `/provenance/lineage/${first(place, 'entity_id')}`),
  'a search': get('/forum/posts?q=text'),
  'a creation': (place) => post(place, '/projects', { name: newId() }),
  'a creation of many documents': (place) => post(place, '/chips', { chip_id: newId().slice(0, 8), size: 4 }),
  'an upsert': (place) => put(place, '/chips/CHIP/note', { content: newId() }),
  'a change': (place) =>
    place.laboratory.as('/chips/CHIP', { method: 'PATCH', body: { activity_status: 'active' } }),
};

let place: Place;
beforeAll(async () => {
  place = await openPlace(true);
});
afterAll(() => place.close());

/** Asks while one of the commands meets with a fate. @param which counts from 0 @returns the command that did */
async function askWith(
  ask: Ask,
  which: number,
  fate: (command: ProxiedCommand) => Fate,
): Promise<{ answer: Answer; met: ProxiedCommand | null }> {
  let commands = 0;
  let met: ProxiedCommand | null = null;
  place.proxy.decide((command) => {
    if (!isOfStore(command)) return 'pass';
    commands += 1;
    if (commands !== which + 1) return 'pass';
    met = command;
    return fate(command);
  });
  const answer = await ask(place);
  place.proxy.decide();
  return { answer, met };
}

/** The driver repeats reads, but no request for the rest of a cursor, and writes that the server can recognize. */
const isRepeated = (command: ProxiedCommand) =>
  isWrite(command) ? command.body['txnNumber'] !== undefined : command.name !== 'getMore';

describe.each(Object.entries(requests))('%s', (_, ask) => {
  test.each(Object.entries(fateOf))('succeeds when one of its commands %s', async (...[, fate]) => {
    for (let which = 0; ; which += 1) {
      const { answer, met } = await askWith(ask, which, fate);
      if (!met) {
        expect(which).toBeGreaterThan(1);
        expect(answer.status).toBeLessThan(300);
        return;
      }
      const { name, collection } = met;
      const succeeded = answer.status < 300;
      expect({ name, collection, succeeded, body: answer.body }).toMatchObject(
        isRepeated(met) || succeeded ? { succeeded: true } : { body: { code: 'store_unavailable' } },
      );
    }
  });

  test.each(notPrimary)('answers 503 while every command is answered with %i (%s)', async (code, name) => {
    place.proxy.decide((command) => (isOfStore(command) ? { reply: refusal(code, name) } : 'pass'));
    const answer = await ask(place);
    place.proxy.decide();
    expect(answer).toMatchObject({ status: 503, body: { code: 'store_unavailable' } });
    expect(answer.headers).toHaveProperty('retry-after');
  });
});
