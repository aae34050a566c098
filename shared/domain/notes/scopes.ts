import { CalibronError } from '../../kernel/errors.ts';
import type { ProjectId } from '../../kernel/ids.ts';
import type { Chips } from '../chips/index.ts';
import type { Cooldowns } from '../cooldowns/index.ts';
import type { ChipPlace, NoteScope, ScopeQuery } from './model.ts';
import { scopeOf } from './scope-rules.ts';

export type Scopes = ReturnType<typeof createScopes>;

/** Resolves the time scope of requests for notes. */
export function createScopes(chips: Chips, cooldowns: Pick<Cooldowns, 'find' | 'holding'>) {
  /** The chip's current cool-down, if it has not ended. */
  async function current(projectId: ProjectId, chipId: string) {
    const id = await chips.state.currentCooldown(projectId, chipId);
    const found = id === null ? null : await cooldowns.find(projectId, id);
    return found?.chip_ids.includes(chipId) ? found : null;
  }

  return {
    /** @throws not_found for an unknown chip or cool-down, invalid_input for a period that ends before its start */
    async resolve({ projectId, chipId }: ChipPlace, query: ScopeQuery): Promise<NoteScope> {
      await chips.currentCooldowns.mustExist(projectId, chipId);
      const { cooldown_id, start_at, end_at } = query;
      if (start_at && end_at && end_at < start_at) throw endsBeforeStart();
      const scope = scopeOf(query, {
        named: cooldown_id === undefined ? null : await cooldowns.find(projectId, cooldown_id),
        holding:
          cooldown_id === undefined && start_at
            ? await cooldowns.holding(projectId, chipId, { started_at: start_at, ended_at: end_at ?? null })
            : [],
        current: cooldown_id === undefined && !start_at ? await current(projectId, chipId) : null,
      });
      if (!scope) throw new CalibronError('not_found', 'There is no such cool-down in this project.');
      return scope;
    },
  };
}

function endsBeforeStart(): CalibronError {
  return new CalibronError('invalid_input', 'end_at should not be before start_at.', {
    problems: [{ type: 'value_error', loc: ['query', 'end_at'], msg: 'Input should not be before start_at' }],
  });
}
