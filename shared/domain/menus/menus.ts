import { CalibronError } from '../../kernel/errors.ts';
import type { ProjectId } from '../../kernel/ids.ts';
import { assertRoomWithin, type Quota } from '../../kernel/quotas.ts';
import type { KnownTasks } from '../../tasks/known-tasks.ts';
import type { Chips } from '../chips/index.ts';
import type { JsonValue } from '../flows/model.ts';
import type { FlowParameters } from '../flows/saved-flow-model.ts';
import { contentOf } from './content-rules.ts';
import { type Menu, type MenuBody, menuBody } from './model.ts';
import { type MenuTask, stagesOf, unknownTaskProblems } from './plan-rules.ts';
import { presetMenus } from './presets.ts';
import type { MenuSettings } from './settings.ts';
import type { MenuOwner, MenuStore } from './store.ts';
import { changedRunParameters, taskDetailOf } from './task-details.ts';
import { menuOf } from './wire.ts';

/** Reserved, because this path lists the presets. */
const RESERVED_NAME = 'preset';
/** Maximum number of targets named in a message. */
const NAMED_TARGETS = 5;

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

  /** The problem of targets in a menu's stages that the chip does not have. An unknown chip is checked elsewhere. */
  async function unknownTargets(
    projectId: ProjectId,
    chipId: string,
    { stages }: ReturnType<typeof stagesOf>,
  ): Promise<string[]> {
    if (chipId === '' || !(await chips.get(projectId, chipId))) return [];
    const targets = [...new Set(stages.flatMap(({ schedule }) => schedule.flat(2)))];
    const known = new Set([
      ...(await chips.allQubitIds(projectId, chipId)),
      ...(targets.some((each) => each.includes('-')) ? await chips.allCouplingIds(projectId, chipId) : []),
    ]);
    const unknown = targets.filter((target) => !known.has(target));
    if (unknown.length === 0) return [];
    const more = unknown.length > NAMED_TARGETS ? ` and ${unknown.length - NAMED_TARGETS} more` : '';
    return [`the chip ${chipId} has no ${unknown.slice(0, NAMED_TARGETS).join(', ')}${more}`];
  }

  return {
    find,

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
        throw taken(body.name);
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
        if (!(await menus.insert(projectId, user, body, now))) throw taken(body.name);
        await menus.remove(projectId, user._id, name);
      }
      return { name: body.name };
    },

    /** Deletes a menu; one-time schedules keep their copy of its content. @throws not_found */
    async remove(projectId: ProjectId, user: MenuOwner, name: string): Promise<{ name: string }> {
      if (!(await menus.remove(projectId, user._id, name))) throw noSuchMenu();
      return { name };
    },

    /**
     * The parameters of a run of the flow `menu`: the stages of the menu in `menu`, or of the menu currently named
     * `menu_name`. Chip, backend and tags come from the menu unless given. `origin` identifies the menu in the run's
     * note.
     * @throws not_found, conflict as {@link find}; bad_request naming all problems of the menu, invalid_input
     */
    async parametersOfRun(
      projectId: ProjectId,
      user: MenuOwner,
      given: FlowParameters,
    ): Promise<{ parameters: FlowParameters; origin: Record<string, string> }> {
      const menu = await menuOfRun(projectId, user, given);
      const { name, schedule, tasks, task_details, tags } = contentOf(menu);
      const possible = await tasksOf(projectId);
      const backend =
        typeof given.backend_name === 'string' && given.backend_name !== ''
          ? given.backend_name
          : menu.backend;
      const known = tasks.flatMap((task): MenuTask[] => {
        const definition = possible.find(task, backend);
        if (!definition) return [];
        const run_parameters = changedRunParameters(definition, task_details[task]);
        return [{ name: task, taskType: definition.taskType, run_parameters }];
      });
      const unknown = unknownTaskProblems(tasks, possible.names());
      const plan = stagesOf(name, schedule, known);
      const chip_id = given.chip_id ?? menu.chip_id;
      const problems = [
        ...unknown,
        // If tasks are unknown, the plan's other problems are not meaningful.
        ...(unknown.length > 0 ? [] : plan.problems),
        ...(await unknownTargets(projectId, String(chip_id), plan)),
      ];
      if (problems.length > 0) throw badMenu(name, problems);
      return {
        parameters: {
          ...given,
          menu: { ...menu, task_details: settingsOf(known) },
          menu_name: name,
          chip_id,
          ...(menu.backend === '' || given.backend_name ? {} : { backend_name: menu.backend }),
          ...(tags.length === 0 || given.tags ? {} : { tags }),
          stages: plan.stages,
        },
        origin: { menu_name: name },
      };
    },
  };

  async function menuOfRun(projectId: ProjectId, user: MenuOwner, given: FlowParameters): Promise<MenuBody> {
    if (given.menu !== undefined && given.menu !== null) {
      const read = menuBody.safeParse(given.menu);
      if (read.success) return read.data;
      throw new CalibronError('bad_request', 'The parameter menu is not a menu, or is too large.');
    }
    if (typeof given.menu_name !== 'string') {
      throw new CalibronError('bad_request', 'Name the menu of this run in parameters.menu_name.');
    }
    const { username: _owner, ...body } = await find(projectId, user, given.menu_name);
    return body;
  }
}

function detailsOf(known: KnownTasks, tasks: readonly string[], username: string): Record<string, JsonValue> {
  const details = tasks.flatMap((name) => {
    const task = known.find(name);
    return task ? [[name, { username, ...taskDetailOf(task) }] as const] : [];
  });
  return Object.fromEntries(details);
}

/** The parts of task details that affect a run; the rest is a copy of the catalog, and long. */
function settingsOf(tasks: readonly MenuTask[]): Record<string, JsonValue> {
  const details = tasks.map(({ name, run_parameters }) => {
    const set = Object.entries(run_parameters).map(([parameter, value]) => [parameter, { value }] as const);
    return [name, { input_parameters: Object.fromEntries(set) }] as const;
  });
  return Object.fromEntries(details);
}

function assertName(name: string): void {
  if (name !== RESERVED_NAME) return;
  throw new CalibronError('bad_request', `The name ${RESERVED_NAME} is reserved; choose another one.`);
}

function badMenu(name: string, problems: readonly string[]): CalibronError {
  return new CalibronError('bad_request', `The menu ${name} cannot be used: ${problems.join('; ')}.`);
}

function noSuchMenu(): CalibronError {
  return new CalibronError('not_found', 'There is no such menu in this project.');
}

function taken(name: string): CalibronError {
  return new CalibronError(
    'conflict',
    `You already have a menu ${name}. Change that one, or choose another name.`,
  );
}
