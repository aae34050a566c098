import { isoTime, isoTimeOrNull } from '../../kernel/time.ts';
import { noteOf } from '../chips/wire.ts';
import type {
  Cooldown,
  CooldownDocument,
  CooldownFacts,
  Cryostat,
  CryostatDocument,
  ListedCooldown,
  WiringEvent,
  WiringEventDocument,
} from './model.ts';

/** Converts a stored cryostat to the API's format. */
export function cryostatOf(stored: CryostatDocument): Cryostat {
  return {
    cryo_id: stored.cryo_id,
    name: stored.name,
    manufacturer: stored.manufacturer,
    model: stored.model,
    location: stored.location,
    status: stored.status,
    commissioned_at: isoTimeOrNull(stored.commissioned_at),
    decommissioned_at: isoTimeOrNull(stored.decommissioned_at),
    note: noteOf(stored.note),
  };
}

/** Converts a stored cool-down to the API's format. */
export function cooldownOf(stored: CooldownDocument): Cooldown {
  const { wiring_info, wiring_blocks } = stored;
  return { ...listedCooldownOf(stored), wiring_info, wiring_blocks };
}

/** Converts a stored cool-down to the format of lists. */
export function listedCooldownOf(stored: CooldownFacts): ListedCooldown {
  return {
    cooldown_id: stored.cooldown_id,
    cryo_id: stored.cryo_id,
    description: stored.description,
    started_at: isoTime(stored.started_at),
    ended_at: isoTimeOrNull(stored.ended_at),
    chip_ids: stored.chip_ids,
    note: noteOf(stored.note),
  };
}

/** Converts a stored checkpoint to the API's format. */
export function wiringEventOf({ _id, project_id, created_at, ...shown }: WiringEventDocument): WiringEvent {
  return { ...shown, created_at: isoTime(created_at) };
}
