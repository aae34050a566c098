import { ScheduleNotFoundError } from '@temporalio/client';
import { expect } from 'vitest';
import { type ScheduleItem, scheduleAnswer, scheduleList } from '../../shared/domain/schedules/model.ts';
import { type Api, type Person, read, startApi } from './harness.ts';
import { code, type Laboratory, makeLaboratory } from './laboratory.ts';

/** A laboratory with its calls, an editor of its project, a viewer and somebody who does not belong to it. */
export async function openScheduling() {
  const api = await startApi({ engine: 'prepared' });
  const [editor, viewer, stranger] = await Promise.all([
    api.makePerson(),
    api.makePerson(),
    api.makePerson(),
  ]);
  const laboratory = await makeLaboratory(api, editor, viewer);
  return { api, editor, viewer, stranger, laboratory, calls: scheduleCalls(api, laboratory, editor) };
}

/** What tests ask of schedules in a laboratory, as its editor unless another person is named. */
export function scheduleCalls(api: Api, laboratory: Laboratory, editor: Person) {
  const post = (name: string, body: unknown, person = editor) =>
    api.as(person, laboratory.project)(`/flows/${name}/schedule`, { method: 'POST', body });
  const list = async (name: string, query: Record<string, string> = {}) =>
    read(scheduleList, await laboratory.as(`/flows/${name}/schedules`, { query }));

  return {
    post,
    list,

    async saveFlow(name: string): Promise<void> {
      const body = { name, code, chip_id: 'CHIP', flow_function_name: 'rabi' };
      expect(await laboratory.as('/flows', { method: 'POST', body })).toMatchObject({ status: 200 });
    },

    schedule: async (name: string, body: unknown) => read(scheduleAnswer, await post(name, body)),

    patch: (id: string, body: unknown, person = editor) =>
      api.as(person, laboratory.project)(`/flows/schedules/${id}`, { method: 'PATCH', body }),

    remove: (id: string, person = editor) =>
      api.as(person, laboratory.project)(`/flows/schedules/${id}`, { method: 'DELETE' }),

    /** The one schedule of a flow. */
    async only(name: string): Promise<ScheduleItem> {
      const { schedules, total } = await list(name);
      expect(total).toBe(1);
      return schedules[0] ?? expect.fail('no schedule');
    },

    /** Whether the engine has no such schedule. */
    isGone: (id: string) =>
      api.engine.client.schedule
        .getHandle(id)
        .describe()
        .then(
          () => false,
          (thrown: unknown) => thrown instanceof ScheduleNotFoundError,
        ),
  };
}
