import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createCryostatStore } from '../../../../shared/domain/cooldowns/cryostats.ts';
import type {
  CooldownDocument,
  CryostatDocument,
  Period,
} from '../../../../shared/domain/cooldowns/model.ts';
import { createOccupancy } from '../../../../shared/domain/cooldowns/occupancy.ts';
import { createCooldownStore } from '../../../../shared/domain/cooldowns/store.ts';
import { keyOf, type ProjectId } from '../../../../shared/kernel/ids.ts';
import { newProjectId } from '../../../../shared/kernel/new-ids.ts';
import { userNamed } from '../../../support/ids.ts';
import { openOwnAreas } from '../../../support/own-areas.ts';

let own: Awaited<ReturnType<typeof openOwnAreas>>;
let project: ProjectId;
beforeAll(async () => {
  own = await openOwnAreas();
});
afterAll(() => own.close());
beforeEach(async () => {
  project = newProjectId();
  await own.areas.cooldowns.cryostats.create(project, { cryo_id: 'CRYO' });
});

const tom = { user_id: userNamed('tom'), username: 'tom' };
const day = (number: number) => new Date(Date.UTC(2026, 0, number));
const period = (from: number, to: number | null): Period => ({
  started_at: day(from),
  ended_at: to === null ? null : day(to),
});
const cool = (cooldown_id: string, dates: Period, chip_ids: string[] = []) =>
  own.areas.cooldowns.create(project, { cooldown_id, cryo_id: 'CRYO', chip_ids, ...dates });
const taken = expect.objectContaining({ code: 'conflict' });
const longAgo = new Date(0);
/** So far ahead that no slow machine makes it old. */
const justNow = new Date(Date.now() + 86_400_000);

/** What the cryostat keeps of a cool-down, as when a process ends between the two writes of a change. */
const reserved = (cooldown_id: string, dates: Period, reserved_at: Date) =>
  own.kernel.db
    .collection<CryostatDocument>('cryostats')
    .updateOne(
      { _id: keyOf(project, 'CRYO') },
      { $set: { periods: [{ cooldown_id, ...dates, reserved_at }] }, $inc: { revision: 1 } },
    );

test('a cool-down that was to go on when its process ended has its cryostat as long as it says itself', async () => {
  await cool('C1', period(1, 5));
  await reserved('C1', period(1, null), justNow);
  await expect(cool('C2', period(6, 7))).rejects.toEqual(taken);
  await reserved('C1', period(1, null), longAgo);
  await expect(cool('C2', period(4, 7))).rejects.toEqual(taken);
  await cool('C2', period(6, 7));
});

test('a cool-down that was to end earlier when its process ended has its cryostat as long as it says itself', async () => {
  await cool('C1', period(1, null));
  for (const at of [justNow, longAgo]) {
    await reserved('C1', period(1, 5), at);
    await expect(cool('C2', period(6, 7))).rejects.toEqual(taken);
  }
});

test('a cryostat that was taken for a cool-down which was never stored is free after a while', async () => {
  const { cryostats } = own.areas.cooldowns;
  await reserved('C1', period(1, null), justNow);
  await expect(cool('C2', period(6, 7))).rejects.toEqual(taken);
  await expect(cryostats.remove(project, 'CRYO', false)).rejects.toEqual(taken);
  await reserved('C1', period(1, null), longAgo);
  await cool('C2', period(6, 7));
  await reserved('C1', period(1, null), longAgo);
  await cryostats.remove(project, 'CRYO', false);
});

test('a cool-down has no cryostat but its own, whatever was reserved for it before', async () => {
  await own.areas.cooldowns.cryostats.create(project, { cryo_id: 'OTHER' });
  await own.areas.cooldowns.create(project, { cooldown_id: 'C1', cryo_id: 'OTHER', started_at: day(1) });
  // As when two ask for one id at once, and the process of the one that is refused ends.
  await reserved('C1', period(1, null), longAgo);
  await cool('C2', period(6, 7));
});

test('chips that are taken out of a cool-down while it is opened again stay out', async () => {
  const { cooldowns, chips } = own.areas;
  const ids = ['A', 'B', 'C', 'D'];
  for (const chip_id of ids) await chips.create(project, 'tom', { chip_id, size: 4, topology_id: null });
  await cool('C1', period(1, null), ids);
  await cooldowns.change(project, 'C1', { ended_at: day(5) }, tom);
  await cooldowns.cryostats.create(project, { cryo_id: 'OTHER' });
  const takeOut = (chipId: string) => cooldowns.unassign(project, 'C1', chipId);
  const { db } = own.kernel;
  const meanwhile: Record<string, () => Promise<unknown>> = {
    A: () => takeOut('B'),
    // It is put into another one.
    C: async () => {
      await Promise.all(['C', 'D'].map(takeOut));
      await cooldowns.create(project, {
        cooldown_id: 'C2',
        cryo_id: 'OTHER',
        started_at: day(2),
        chip_ids: ['D'],
      });
    },
  };
  const current: typeof chips.currentCooldowns = {
    ...chips.currentCooldowns,
    async enter(of, chipId, cooldownId) {
      await meanwhile[chipId]?.();
      return chips.currentCooldowns.enter(of, chipId, cooldownId);
    },
  };
  const store = createCooldownStore(db, {
    cryostats: createCryostatStore(db),
    occupancy: createOccupancy(db, current),
    chips: current,
    results: own.areas.results,
  });
  expect(await store.reopen(project, 'C1')).toMatchObject({ ended_at: null, chip_ids: ['A'] });
  const stored = await db.collection<CooldownDocument>('cooldowns').findOne({ _id: keyOf(project, 'C1') });
  expect(stored?.chip_ids).toEqual(['A']);
  const now = await Promise.all(ids.map((id) => chips.currentCooldowns.enter(project, id, 'asked')));
  expect(now).toEqual(['C1', 'asked', 'asked', 'C2']);
});
