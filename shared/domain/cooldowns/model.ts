import { z } from 'zod';
import { type ProjectId, userIdSchema } from '../../kernel/ids.ts';
import { instant, integer, noteBody, pathSegment, timestamp } from '../../kernel/wire.ts';
import type { StoredNote } from '../chips/model.ts';

const ownId = pathSegment({ max: 100 });
const line = z.string().max(200);
const noteText = z.string().max(5000);

const cryostatStatus = z.enum(['active', 'maintenance', 'decommissioned']);

/** A cryostat as the API shows it. */
export const cryostat = z
  .object({
    cryo_id: z.string(),
    name: z.string(),
    manufacturer: z.string(),
    model: z.string(),
    location: z.string(),
    status: cryostatStatus,
    commissioned_at: timestamp.nullable(),
    decommissioned_at: timestamp.nullable(),
    note: noteBody,
  })
  .meta({ id: 'Cryostat' });
export type Cryostat = z.infer<typeof cryostat>;

/** Cryostats and cool-downs are few, and clients that request no page expect all of them, so pages are large. */
const listPage = {
  limit: integer({ min: 1, max: 500 }).prefault(500),
  skip: integer({ min: 0 }).prefault(0),
};
export const cryostatPage = z.object(listPage);
export type ListPage = z.infer<typeof cryostatPage>;
export const cryostatList = z.object({ cryostats: z.array(cryostat) });

const descriptionOfCryostat = z.object({
  name: line.nullish(),
  manufacturer: line.nullish(),
  model: line.nullish(),
  location: line.nullish(),
  status: cryostatStatus.nullish(),
  commissioned_at: instant().nullish(),
});

/** Body of POST /cryostats. */
export const newCryostat = z.object({ cryo_id: ownId, ...descriptionOfCryostat.shape });
export type NewCryostat = z.infer<typeof newCryostat>;

/** Body of PATCH /cryostats/{cryo_id}; null or absent fields stay unchanged. */
export const cryostatChange = z.object({
  ...descriptionOfCryostat.shape,
  decommissioned_at: instant().nullish(),
  note: noteText.nullish(),
});
export type CryostatChange = z.infer<typeof cryostatChange>;

const wiringBlocks = z.array(z.record(z.string(), z.unknown()));

/** A cool-down as the API shows it; it is active until it has an end. */
export const cooldown = z
  .object({
    cooldown_id: z.string(),
    cryo_id: z.string(),
    description: z.string(),
    started_at: timestamp,
    ended_at: timestamp.nullable().describe('Null while it is active.'),
    chip_ids: z.array(z.string()),
    note: noteBody,
    wiring_info: z.string().describe('Markdown.'),
    wiring_blocks: wiringBlocks.describe("The same text in the format of the client's editor."),
  })
  .meta({ id: 'Cooldown' });
export type Cooldown = z.infer<typeof cooldown>;

export const cooldownPage = z.object({
  cryo_id: z.string().optional(),
  chip_id: z.string().optional(),
  ...listPage,
});
/** A cool-down in lists, without its wiring, which may take 10 MiB. */
export const listedCooldown = cooldown
  .omit({ wiring_info: true, wiring_blocks: true })
  .meta({ id: 'ListedCooldown' });
export type ListedCooldown = z.infer<typeof listedCooldown>;
export const cooldownList = z.object({ cooldowns: z.array(listedCooldown) });

/** Body of POST /cooldowns. */
export const newCooldown = z.object({
  cooldown_id: ownId,
  cryo_id: z.string(),
  description: z.string().max(2000).nullish(),
  started_at: instant(),
  ended_at: instant().nullish(),
  chip_ids: z.array(z.string()).max(1000).nullish(),
});
export type NewCooldown = z.infer<typeof newCooldown>;

/** Body of PATCH /cooldowns/{cooldown_id}; null or absent fields stay unchanged. */
export const cooldownChange = z.object({
  description: z.string().max(2000).nullish(),
  started_at: instant().nullish(),
  ended_at: instant().nullish(),
  wiring_info: z.string().max(200_000).nullish(),
  wiring_blocks: wiringBlocks.nullish(),
  note: noteText.nullish(),
});
export type CooldownChange = z.infer<typeof cooldownChange>;

/** Body of POST /cooldowns/{cooldown_id}/wiring-checkpoint. */
export const newCheckpoint = z.object({ comment: z.string().min(1).max(2000) });

/** The wiring at the time of a checkpoint. */
export const wiringEvent = z
  .object({
    id: z.string(),
    cooldown_id: z.string(),
    actor_user_id: userIdSchema,
    actor: z.string(),
    action: z.literal('checkpoint'),
    comment: z.string(),
    wiring_info_snapshot: z.string(),
    block_count: z.number().int(),
    image_count: z.number().int(),
    created_at: timestamp,
  })
  .meta({ id: 'WiringEvent' });
export type WiringEvent = z.infer<typeof wiringEvent>;

export const wiringEventPage = z.object({
  limit: integer({ min: 1, max: 500 })
    .prefault(100)
    .describe('At most this many; a page with long texts ends after about 4 MB. Ask for the rest with skip.'),
  skip: integer({ min: 0 }).prefault(0),
});
export const wiringEventList = z.object({ events: z.array(wiringEvent) });

/** Period in which a cool-down occupies the cryostat; null if it has not ended. */
export interface Period {
  started_at: Date;
  ended_at: Date | null;
}

/** A cryostat as stored; `_id` is `<project_id>/<cryo_id>`. */
export interface CryostatDocument extends Omit<Cryostat, 'commissioned_at' | 'decommissioned_at' | 'note'> {
  _id: string;
  project_id: ProjectId;
  commissioned_at: Date | null;
  decommissioned_at: Date | null;
  note: StoredNote;
  /** Occupied periods with their cool-downs. Written with a compare-and-set on `revision`, so that none overlap. */
  periods: (Period & { cooldown_id: string; reserved_at: Date })[];
  revision: number;
  created_at: Date;
  updated_at: Date;
}

/** A cool-down as stored; `_id` is `<project_id>/<cooldown_id>`. */
export interface CooldownDocument extends Omit<Cooldown, 'started_at' | 'ended_at' | 'note'>, Period {
  _id: string;
  project_id: ProjectId;
  note: StoredNote;
  created_at: Date;
  updated_at: Date;
}

/** A stored cool-down without its wiring, which few readers need and which may be large. */
export type CooldownFacts = Omit<CooldownDocument, 'wiring_info' | 'wiring_blocks'>;

/** `_id` is `<project_id>/<cooldown_id>/<id>`. */
export interface WiringEventDocument extends Omit<WiringEvent, 'created_at'> {
  _id: string;
  project_id: ProjectId;
  created_at: Date;
}
