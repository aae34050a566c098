import { describe, expect, test } from 'vitest';
import { followConfiguration } from '../../../../shared/domain/configuration/following.ts';

function openFollowing() {
  const state = { revision: 1, content: 'old', reads: 0 };
  let release: (() => void) | undefined;
  let held: Promise<void> | undefined;
  const followed = followConfiguration(
    {
      current: async () => {
        const { revision } = state;
        await held;
        return revision;
      },
    },
    async () => {
      state.reads++;
      return state.content;
    },
    { error: () => expect.fail('the configuration can be read') },
  );
  return {
    state,
    followed,
    /** Keeps questions for the revision from being answered until `release`. */
    hold() {
      held = new Promise((resolve) => {
        release = resolve;
      });
    },
    release: () => release?.(),
  };
}

describe('a value that follows the configuration', () => {
  test('is not read again within a second', async () => {
    const { state, followed } = openFollowing();
    await followed.current();
    Object.assign(state, { revision: 2, content: 'new' });
    expect(await followed.current()).toBe('old');
    expect(state.reads).toBe(1);
  });

  test('is new at once in the process that reloaded', async () => {
    const { state, followed } = openFollowing();
    await followed.current();
    Object.assign(state, { revision: 2, content: 'new' });
    followed.forget();
    expect(await followed.current()).toBe('new');
    expect(state.reads).toBe(2);
  });

  test('is new after a reload although the revision was being requested before it', async () => {
    const { state, followed, hold, release } = openFollowing();
    hold();
    const before = followed.current();
    Object.assign(state, { revision: 2, content: 'new' });
    followed.forget();
    const after = followed.current();
    release();
    await before;
    expect(await after).toBe('new');
    expect(await followed.current()).toBe('new');
  });
});
