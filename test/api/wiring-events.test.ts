import { afterAll, expect, test } from 'vitest';
import { wiringEventList } from '../../shared/domain/cooldowns/model.ts';
import { keyOf } from '../../shared/kernel/ids.ts';
import { read, startApi } from './harness.ts';

const api = await startApi();
afterAll(() => api.close());

test('checkpoints with long texts are answered in pages of a few MB, none left out', async () => {
  const owner = await api.makePerson();
  const project = await api.makeProject(owner);
  const as = api.as(owner, project);
  await as('/cryostats', { method: 'POST', body: { cryo_id: 'CRYO', name: 'cold' } });
  const started_at = '2026-01-01T00:00:00Z';
  await as('/cooldowns', { method: 'POST', body: { cooldown_id: 'C1', cryo_id: 'CRYO', started_at } });
  const ids = Array.from({ length: 50 }, (_, number) => `event-${String(number).padStart(2, '0')}`);
  const events = api.database.db.collection<{ _id: string; [field: string]: unknown }>('wiring_events');
  await events.insertMany(
    ids.map((id, number) => ({
      _id: keyOf(project, 'C1', id),
      ...{ project_id: project, id, cooldown_id: 'C1', actor_user_id: owner.id, actor: owner.username },
      ...{ action: 'checkpoint', comment: 'x', wiring_info_snapshot: 'w'.repeat(200_000) },
      ...{ block_count: 0, image_count: 0, created_at: new Date(1_700_000_000_000 - number) },
    })),
  );
  const seen: string[] = [];
  for (;;) {
    const query = { limit: '500', skip: String(seen.length) };
    const answer = await as('/cooldowns/C1/wiring-events', { query });
    expect(answer.bytes.length).toBeLessThan(5 * 1024 * 1024);
    const page = read(wiringEventList, answer).events;
    if (page.length === 0) break;
    seen.push(...page.map(({ id }) => id));
  }
  expect(seen).toEqual(ids);
});
