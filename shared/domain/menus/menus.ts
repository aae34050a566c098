import { CalibronError } from '../../kernel/errors.ts';
import type { ProjectId } from '../../kernel/ids.ts';
import { assertRoomWithin, type Quota } from '../../kernel/quotas.ts';
import type { KnownTasks } from '../../tasks/known-tasks.ts';
import type { Chips } from '../chips/index.ts';
import type { JsonValue } from '../flows/model.ts';
import { contentOf } from './content-rules.ts';
import { badMenu, menuNameTaken, noSuchMenu } from './menu-errors.ts';
import { createMenuRuns } from './menu-runs.ts';
import type { Menu, MenuBody } from './model.ts';
import { unknownTaskProblems } from './plan-rules.ts';
import { presetMenus } from './presets.ts';
import type { MenuSettings } from './settings.ts';
import type { MenuOwner, MenuStore } from './store.ts';
import { taskDetailOf } from './task-details.ts';
import { menuOf } from './wire.ts';

/** Reserved, because this path lists the presets. */
const RESERVED_NAME = 'preset';

interface Dependencies {
  menus: MenuStore;
  chips: Pick<Chips, 'get' | 'allQubitIds' | 'allCouplingIds'>;
  settings: MenuSettings;
  /** The tasks that a project can run: of the catalog, and those that its backends declare. */
  tasksOf(projectId: ProjectId): Promise<KnownTasks>;
}

/** Users' menus, and the runs made from them. */
export function createMenus({ menus, chips, settings, tasksOf }: Dependencies) {
  const quota: Quota = {
    holder: 'This project',
    things: 'menus',
    limit: settings.MENUS_PER_PROJECT,
    setting: 'MENUS_PER_PROJECT',
  };

  /** A menu of the user. @throws not_found */
  async function own(projectId: ProjectId, user: MenuOwner, name: string) {
    const found = await menus.get(projectId, user._id, name);
    if (!found) throw noSuchMenu();
    return found;
  }

  /** Finds a menu by name: the user's own, else that of another member if exactly one has it. */
  async function find(projectId: ProjectId, user: MenuOwner, name: string): Promise<Menu> {
    const mine = await menus.get(projectId, user._id, name);
    if (mine) return menuOf(mine);
    const [first, second] = await menus.ofName(projectId, name);
    if (!first) throw noSuchMenu();
    if (second) {
      throw new CalibronError(
        'conflict',
        `Several members have a menu ${name}. Save one under your own name to use it.`,
      );
    }
    return menuOf(first);
  }

  return {
    find,
    ...createMenuRuns({ chips, tasksOf, find }),

    /** The menus of a user, sorted by name. */
    async list(projectId: ProjectId, user: MenuOwner): Promise<{ menus: Menu[] }> {
      return { menus: (await menus.ofUser(projectId, user._id)).map(menuOf) };
    },

    /** Preset menus to start from. */
    presets: (user: MenuOwner): { menus: Menu[] } => ({ menus: presetMenus(user.username) }),

    /** A menu of a user. @throws not_found */
    read: async (projectId: ProjectId, user: MenuOwner, name: string): Promise<Menu> =>
      menuOf(await own(projectId, user, name)),

    /**
     * Saves a menu with the details of its tasks.
     * @throws bad_request for unknown tasks or no tasks; conflict if the user has a menu of that name; invalid_input,
     *   quota_exceeded
     */
    async create(projectId: ProjectId, user: MenuOwner, body: MenuBody): Promise<{ name: string }> {
      const { tasks } = contentOf(body);
      assertName(body.name);
      const known = await tasksOf(projectId);
      const problems = unknownTaskProblems(tasks, known.names());
      if (tasks.length === 0) problems.push('it has no tasks');
      if (problems.length > 0) throw badMenu(body.name, problems);
      assertRoomWithin(quota, await menus.count(projectId));
      const details = detailsOf(known, tasks, user.username);
      const task_details = typeof body.tasks === 'string' ? JSON.stringify(details) : details;
      if (!(await menus.insert(projectId, user, { ...body, task_details }, new Date())))
        throw menuNameTaken(body.name);
      return { name: body.name };
    },

    /**
     * Replaces a whole menu, including its name.
     * @throws not_found, conflict if the user has another menu with the new name, bad_request, invalid_input
     */
    async change(
      projectId: ProjectId,
      user: MenuOwner,
      name: string,
      body: MenuBody,
    ): Promise<{ name: string }> {
      const stored = await own(projectId, user, name);
      contentOf(body);
      assertName(body.name);
      const now = new Date();
      if (body.name === name) {
        if (!(await menus.replace(stored, body, now))) throw noSuchMenu();
      } else {
        if (!(await menus.insert(projectId, user, body, now))) throw menuNameTaken(body.name);
        await menus.remove(projectId, user._id, name);
      }
      return { name: body.name };
    },

    /** Deletes a menu; one-time schedules keep their copy of its content. @throws not_found */
    async remove(projectId: ProjectId, user: MenuOwner, name: string): Promise<{ name: string }> {
      if (!(await menus.remove(projectId, user._id, name))) throw noSuchMenu();
      return { name };
    },
  };
}

function detailsOf(known: KnownTasks, tasks: readonly string[], username: string): Record<string, JsonValue> {
  const details = tasks.flatMap((name) => {
    const task = known.find(name);
    return task ? [[name, { username, ...taskDetailOf(task) }] as const] : [];
  });
  return Object.fromEntries(details);
}

function assertName(name: string): void {
  if (name !== RESERVED_NAME) return;
  throw new CalibronError('bad_request', `The name ${RESERVED_NAME} is reserved; choose another one.`);
}
