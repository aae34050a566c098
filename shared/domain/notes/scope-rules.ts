import type { Period } from '../cooldowns/model.ts';
import type { NoteScope, ScopeQuery } from './model.ts';

/** The fields of a cool-down that scopes need. */
export interface ScopeCooldown extends Period {
  cooldown_id: string;
}

/** Stored cool-downs that a request may refer to. */
export interface KnownCooldowns {
  /** The cool-down that the request names, even if the chip is not in it. */
  named: ScopeCooldown | null;
  /** Cool-downs of the chip that contain the request's whole period. */
  holding: readonly ScopeCooldown[];
  /** The chip's current cool-down. */
  current: ScopeCooldown | null;
}

const globalScope: NoteScope = {
  scope_type: 'global',
  scope_key: 'global',
  cooldown_id: null,
  scope_started_at: null,
  scope_ended_at: null,
  scope_source: 'legacy_global',
};

/**
 * The scope of a request. A named cool-down takes precedence over a period, and a period over the chip's current
 * cool-down. A period within exactly one cool-down of the chip means that cool-down. Null if the named cool-down does not
 * exist.
 */
export function scopeOf(query: ScopeQuery, known: KnownCooldowns): NoteScope | null {
  if (query.cooldown_id !== undefined) {
    return known.named && cooldownScope(known.named, 'explicit_cooldown');
  }
  if (query.start_at !== undefined) {
    const [only, second] = known.holding;
    if (only && !second) return cooldownScope(only, 'inferred_from_range');
    return timeRangeScope(query.start_at, query.end_at ?? null);
  }
  return known.current ? cooldownScope(known.current, 'current_cooldown') : globalScope;
}

function cooldownScope(cooldown: ScopeCooldown, source: NoteScope['scope_source']): NoteScope {
  return {
    scope_type: 'cooldown',
    scope_key: `cooldown:${cooldown.cooldown_id}`,
    cooldown_id: cooldown.cooldown_id,
    scope_started_at: cooldown.started_at,
    scope_ended_at: cooldown.ended_at,
    scope_source: source,
  };
}

function timeRangeScope(start: Date, end: Date | null): NoteScope {
  return {
    scope_type: 'time_range',
    scope_key: `time_range:${keyTime(start)}:${end ? keyTime(end) : ''}`,
    cooldown_id: null,
    scope_started_at: start,
    scope_ended_at: end,
    scope_source: 'manual_time_range',
  };
}

function keyTime(time: Date): string {
  return time.toISOString().replace('Z', '+00:00');
}

/** Whether the request names no time. Notes of such requests belong to the chip, qubit or coupling itself. */
export function isWithoutScope({ cooldown_id, start_at }: ScopeQuery): boolean {
  return cooldown_id === undefined && start_at === undefined;
}

type ScopedRow = Pick<NoteScope, 'scope_type' | 'scope_key' | 'scope_started_at' | 'scope_ended_at'>;

/**
 * Whether a stored row is displayed in a scope. A row with the same scope always is. For a cool-down, rows of periods
 * within it are too, because they may have been written before the cool-down was recorded. For a period, rows of all
 * overlapping periods are, because the periods of dashboards drift between writing and reading.
 */
export function isShownIn(scope: NoteScope, row: ScopedRow): boolean {
  if (row.scope_key === scope.scope_key) return true;
  if (row.scope_type !== 'time_range' || !row.scope_started_at || !scope.scope_started_at) return false;
  const { scope_started_at: from, scope_ended_at: to } = row;
  if (scope.scope_type === 'cooldown') {
    return (
      from >= scope.scope_started_at &&
      (scope.scope_ended_at === null || (to !== null && to <= scope.scope_ended_at))
    );
  }
  return (
    (to === null || to >= scope.scope_started_at) &&
    (scope.scope_ended_at === null || from <= scope.scope_ended_at)
  );
}

/** The effective row among the displayed ones: the one with the same scope, else the one edited last; null if there are none. */
export function winnerOf<Row extends ScopedRow & { note: { updated_at: Date | null } }>(
  scope: NoteScope,
  rows: readonly Row[],
): Row | null {
  const shown = rows.filter((row) => isShownIn(scope, row));
  const exact = shown.find((row) => row.scope_key === scope.scope_key);
  const edited = (row: Row) => row.note.updated_at?.getTime() ?? 0;
  return (
    exact ?? shown.reduce<Row | null>((last, row) => (last && edited(last) >= edited(row) ? last : row), null)
  );
}

/**
 * Whether notes on targets themselves are effective in a scope. They were written without a scope, so a request without
 * one must find them.
 */
export function isUnscoped(scope: Pick<NoteScope, 'scope_type' | 'scope_source'>): boolean {
  return scope.scope_type === 'global' || scope.scope_source === 'current_cooldown';
}
