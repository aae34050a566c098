import { defineArea, type Kernel } from '../../kernel/area.ts';
import type { Chips } from '../chips/index.ts';
import type { Cooldowns } from '../cooldowns/index.ts';
import type { Notifications } from '../notifications/index.ts';
import type { TaskResultStore } from '../results/index.ts';
import { createChipNotes } from './chip-notes.ts';
import { createComments } from './comments.ts';
import { createNoteEvents } from './events.ts';
import { createScopes } from './scopes.ts';
import { createScopedNotes, noteIndexes } from './store.ts';
import { createNotesSummary } from './summary.ts';
import { createTargetNotes } from './target-notes.ts';
import { createTaskNotes } from './task-notes.ts';

export type Notes = ReturnType<typeof notes.create>;

/** Users' notes on chips, qubits, couplings, metrics and task results. */
export const notes = defineArea({
  name: 'notes',
  indexes: noteIndexes,
  create({
    db,
    chips,
    cooldowns,
    results,
    notifications,
  }: Kernel & {
    chips: Chips;
    cooldowns: Cooldowns;
    results: TaskResultStore;
    notifications: Pick<Notifications, 'notify'>;
  }) {
    const scopes = createScopes(chips, cooldowns);
    const scoped = createScopedNotes(db);
    const events = createNoteEvents(db, notifications.notify);
    const comments = createComments(db, { chips, scopes, events });
    const needs = { chips, scopes, notes: scoped, events };
    return {
      ofChip: createChipNotes(needs),
      ofTarget: createTargetNotes(needs),
      ofTask: createTaskNotes(results, events),
      comments,
      events,
      summary: createNotesSummary({ chips, scopes, notes: scoped, comments, results }),
    };
  },
});
