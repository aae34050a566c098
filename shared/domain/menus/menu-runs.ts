import { CalibronError } from '../../kernel/errors.ts';
import type { ProjectId } from '../../kernel/ids.ts';
import type { KnownTasks } from '../../tasks/known-tasks.ts';
import type { Chips } from '../chips/index.ts';
import type { JsonValue } from '../flows/model.ts';
import type { FlowParameters } from '../flows/saved-flow-model.ts';
import { contentOf } from './content-rules.ts';
import { badMenu } from './menu-errors.ts';
import { type Menu, type MenuBody, menuBody } from './model.ts';
import { type MenuTask, stagesOf, unknownTaskProblems } from './plan-rules.ts';
import type { MenuOwner } from './store.ts';
import { changedRunParameters } from './task-details.ts';

/** Maximum number of targets named in a message. */
const NAMED_TARGETS = 5;

/** The parts of task details that affect a run; the rest is a copy of the catalog, and long. */
function settingsOf(tasks: readonly MenuTask[]): Record<string, JsonValue> {
  const details = tasks.map(({ name, run_parameters }) => {
    const set = Object.entries(run_parameters).map(([parameter, value]) => [parameter, { value }] as const);
    return [name, { input_parameters: Object.fromEntries(set) }] as const;
  });
  return Object.fromEntries(details);
}

/** Makes the parameters of runs from menus. */
export function createMenuRuns({
  chips,
  tasksOf,
  find,
}: {
  chips: Pick<Chips, 'get' | 'allQubitIds' | 'allCouplingIds'>;
  /** The tasks that a project can run: of the catalog, and those that its backends declare. */
  tasksOf(projectId: ProjectId): Promise<KnownTasks>;
  /** Finds a menu by name: the user's own, else that of another member if exactly one has it. @throws not_found, conflict */
  find(projectId: ProjectId, user: MenuOwner, name: string): Promise<Menu>;
}) {
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

  /** The menu of a run: given in its parameters, or by name. */
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

  return {
    /**
     * The parameters of a run of the flow `menu`: the stages of the menu in `menu`, or of the menu currently named
     * `menu_name`. Chip, backend and tags come from the menu unless given. `origin` identifies the menu in the run's
     * note.
     * @throws not_found, conflict as `find`; bad_request naming all problems of the menu, invalid_input
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
}
