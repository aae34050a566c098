import {
  createRootRoute,
  createRoute,
  createRouter,
  Link,
  lazyRouteComponent,
  redirect,
  retainSearchParams,
  useSearch,
} from '@tanstack/react-router';
import { ChipPage } from './chip/chip-page.tsx';
import { compareSearch } from './compare/compare-search.ts';
import { flowsSearch } from './flows/flows-search.ts';
import { resultsSearch } from './results/results-search.ts';
import { textOf as text } from './search-text.ts';
import { SessionGate } from './session.tsx';
import { Shell } from './shell.tsx';

/** What colours the chip. */
const WAYS = ['value', 'age', 'holding', 'run'] as const;

interface RootSearch {
  project?: string | undefined;
  chip?: string | undefined;
}
interface ChipSearch {
  metric?: string | undefined;
  by?: (typeof WAYS)[number] | undefined;
  target?: string | undefined;
  tab?: string | undefined;
  parameter?: string | undefined;
}
interface RunSearch {
  task?: string | undefined;
}
interface StartSearch {
  flow?: string | undefined;
  template?: string | undefined;
}
interface AgentsSearch {
  session?: string | undefined;
}
interface ReviewsSearch {
  decision?: string | undefined;
  skip?: number | undefined;
}
interface ForumSearch {
  status?: string | undefined;
  category?: string | undefined;
  words?: string | undefined;
  skip?: number | undefined;
}
interface MaintenanceSearch {
  target?: string | undefined;
  task?: string | undefined;
}
interface InboxSearch {
  skip?: number | undefined;
}
interface PeopleSearch {
  section?: string | undefined;
  who?: string | undefined;
  skip?: number | undefined;
}
interface ListSearch {
  status?: string | undefined;
  skip?: number | undefined;
}

const rootRoute = createRootRoute({
  validateSearch: (search: Record<string, unknown>): RootSearch => ({
    project: text(search['project']),
    chip: text(search['chip']),
  }),
  search: { middlewares: [retainSearchParams<RootSearch>(['project', 'chip'])] },
  component: function Root() {
    const { project } = useSearch({ from: '__root__' });
    return (
      <SessionGate wanted={project}>
        <Shell />
      </SessionGate>
    );
  },
  notFoundComponent: () => (
    <main className="page">
      <p>
        There is no such page. <Link to="/">Back to the chip</Link>
      </p>
    </main>
  ),
});

const chipRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  validateSearch: (search: Record<string, unknown>): ChipSearch => ({
    metric: text(search['metric']),
    by: WAYS.find((each) => each === search['by']),
    target: text(search['target']),
    tab: text(search['tab']),
    parameter: text(search['parameter']),
  }),
  component: ChipPage,
});

const compareRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/compare',
  validateSearch: compareSearch,
  component: lazyRouteComponent(() => import('./compare/compare-page.tsx'), 'ComparePage'),
});

const flowsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/flows',
  validateSearch: flowsSearch,
  component: lazyRouteComponent(() => import('./flows/flows-page.tsx'), 'FlowsPage'),
});

const resultsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/results',
  validateSearch: resultsSearch,
  component: lazyRouteComponent(() => import('./results/results-page.tsx'), 'ResultsPage'),
});

const runRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/execution/$chipId/$executionId',
  validateSearch: (search: Record<string, unknown>): RunSearch => ({ task: text(search['task']) }),
  // Links of answers and messages name the chip in the path only; the other pages then show the same chip.
  beforeLoad: ({ params, search }) => {
    if (search.chip !== undefined) return;
    throw redirect({
      to: '/execution/$chipId/$executionId',
      params,
      search: { ...search, chip: params.chipId },
      replace: true,
    });
  },
  component: lazyRouteComponent(() => import('./run/run-page.tsx'), 'RunPage'),
});

const startRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/start',
  validateSearch: (search: Record<string, unknown>): StartSearch => ({
    flow: text(search['flow']),
    template: text(search['template']),
  }),
  component: lazyRouteComponent(() => import('./start/start-page.tsx'), 'StartPage'),
});

const executionsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/executions',
  validateSearch: (search: Record<string, unknown>): ListSearch => ({
    status: text(search['status']),
    skip: Number(search['skip']) || undefined,
  }),
  component: lazyRouteComponent(() => import('./lists/executions-page.tsx'), 'ExecutionsPage'),
});

const agentsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/agents',
  validateSearch: (search: Record<string, unknown>): AgentsSearch => ({ session: text(search['session']) }),
  component: lazyRouteComponent(() => import('./agents/agents-page.tsx'), 'AgentsPage'),
});

const forumRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/forum',
  validateSearch: (search: Record<string, unknown>): ForumSearch => ({
    status: text(search['status']),
    category: text(search['category']),
    words: text(search['words']),
    skip: Number(search['skip']) || undefined,
  }),
  component: lazyRouteComponent(() => import('./discussion/forum-page.tsx'), 'ForumPage'),
});

const inboxRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/inbox',
  validateSearch: (search: Record<string, unknown>): InboxSearch => ({
    skip: Number(search['skip']) || undefined,
  }),
  component: lazyRouteComponent(() => import('./discussion/inbox-page.tsx'), 'InboxPage'),
});

const maintenanceRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/maintenance',
  validateSearch: (search: Record<string, unknown>): MaintenanceSearch => ({
    target: text(search['target']),
    task: text(search['task']),
  }),
  component: lazyRouteComponent(() => import('./maintenance/maintenance-page.tsx'), 'MaintenancePage'),
});

const issueRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/issues/$issueId',
  component: lazyRouteComponent(() => import('./discussion/result-page.tsx'), 'IssuePage'),
});

const peopleRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/people',
  validateSearch: (search: Record<string, unknown>): PeopleSearch => ({
    section: text(search['section']),
    who: text(search['who']),
    skip: Number(search['skip']) || undefined,
  }),
  component: lazyRouteComponent(() => import('./people/people-page.tsx'), 'PeoplePage'),
});

const resultRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/task-results/$taskId',
  component: lazyRouteComponent(() => import('./discussion/result-page.tsx'), 'ResultPage'),
});

const reviewsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/reviews',
  validateSearch: (search: Record<string, unknown>): ReviewsSearch => ({
    decision: text(search['decision']),
    skip: Number(search['skip']) || undefined,
  }),
  component: lazyRouteComponent(() => import('./agents/reviews-page.tsx'), 'ReviewsPage'),
});

const schedulesRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/schedules',
  component: lazyRouteComponent(() => import('./lists/schedules-page.tsx'), 'SchedulesPage'),
});

const threadRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/forum/$postId',
  component: lazyRouteComponent(() => import('./discussion/thread-page.tsx'), 'ThreadPage'),
});

const routeTree = rootRoute.addChildren([
  agentsRoute,
  chipRoute,
  compareRoute,
  executionsRoute,
  flowsRoute,
  forumRoute,
  inboxRoute,
  issueRoute,
  maintenanceRoute,
  peopleRoute,
  resultRoute,
  resultsRoute,
  reviewsRoute,
  runRoute,
  schedulesRoute,
  startRoute,
  threadRoute,
]);

export function createConsoleRouter() {
  return createRouter({
    routeTree,
    basepath: new URL(document.baseURI).pathname.replace(/\/$/, ''),
    defaultPreload: false,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>;
  }
}
