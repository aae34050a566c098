import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Areas } from '../../shared/domain/areas.ts';
import type { Settings } from '../../shared/domain/settings.ts';
import * as accounts from './accounts/index.ts';
import * as administration from './administration/index.ts';
import * as agents from './agents/index.ts';
import * as assistant from './assistant/index.ts';
import * as chips from './chips/index.ts';
import * as discussion from './discussion/index.ts';
import * as flows from './flows/index.ts';
import * as installation from './installation/index.ts';
import * as projects from './projects/index.ts';
import * as results from './results/index.ts';
import * as runs from './runs/index.ts';
import * as tasks from './tasks/index.ts';

/** The dependencies of all route files. The type of each file declares which of them it uses. */
export type RouteOptions = Areas & { settings: Settings };

/** The groups, in the order of the OpenAPI document. Each exports the routes of its files. */
const groups = [
  accounts,
  projects,
  administration,
  chips,
  discussion,
  flows,
  installation,
  runs,
  assistant,
  results,
  tasks,
  agents,
];

/** The routes of all groups. Those about the health of this process are apart: they need the engines themselves. */
export const routes: readonly FastifyPluginAsyncZod<RouteOptions>[] = groups.flatMap((group) =>
  Object.values(group),
);
