/**
 * The house's storeys as rules over every import, types included: kernel < science < tasks < domain < api,
 * activities, workflows < workers. What counts only at run time is in .dependency-cruiser-run-time.mjs.
 */

/** The folders that something in the product or around it can be imported from. */
const ANYTHING = '^(shared|api|activities|workflows|workers|scripts|test|config|console)/';
/** Types of another program's folder may be imported, its code may not. */
const codeOf = (folders) => ({ path: `^(${folders})/`, dependencyTypesNot: ['type-only'] });
const AREAS = '^shared/domain/[^/]+/';
/** What an area shows besides its face: settings, errors, shapes, pure decisions and mappings, which need nothing to be made. */
const PURE_FILES = '([/-](model|rules|wire)|/(settings|errors))[.]ts$';
const FACE = '^shared/domain/[^/]+/index[.]ts$';

/** @type {import('dependency-cruiser').IForbiddenRuleType[]} */
export const forbidden = [
  {
    name: 'kernel-is-lowest',
    comment: 'The kernel knows nothing of quantum chips: it imports only itself.',
    from: { path: '^shared/kernel/' },
    to: { path: ANYTHING, pathNot: '^shared/kernel/' },
  },
  {
    name: 'science-is-above-kernel',
    comment: 'Science imports only itself and the kernel.',
    from: { path: '^shared/science/' },
    to: { path: ANYTHING, pathNot: '^shared/(kernel|science)/' },
  },
  {
    name: 'tasks-are-above-science',
    comment: 'Tasks import only themselves, science and the kernel.',
    from: { path: '^shared/tasks/' },
    to: { path: ANYTHING, pathNot: '^shared/(kernel|science|tasks)/' },
  },
  {
    name: 'simulations-have-their-own-physics',
    comment:
      'A simulated instrument knows nothing of the fits that judge its data: neither it nor the device imports them.',
    from: {
      path: '^shared/(science/device/|tasks/common/simulation/|tasks/[^/]+/(simulation|search)[.]ts$)',
    },
    to: { path: '^shared/(science/fitting|tasks/common/analysis)/' },
  },
  {
    name: 'families-stand-alone',
    comment:
      'A family of tasks imports of the others only what is in common/, and common/ imports no family.',
    from: { path: '^shared/tasks/([^/]+)/' },
    to: { path: '^shared/tasks/[^/]+/', pathNot: '^shared/tasks/($1|common)/' },
  },
  {
    name: 'domain-is-below-programs',
    comment: 'The domain imports only shared/.',
    from: { path: '^shared/domain/' },
    to: { path: ANYTHING, pathNot: '^shared/' },
  },
  {
    name: 'api-is-a-program',
    comment: 'Of the other programs the API imports only types, and never scripts or tests.',
    from: { path: '^api/' },
    to: codeOf('activities|workflows|workers|scripts|test'),
  },
  {
    name: 'activities-are-a-program',
    comment: 'Of the other programs activities import only types, and never scripts or tests.',
    from: { path: '^activities/' },
    to: codeOf('api|workflows|workers|scripts|test'),
  },
  {
    name: 'workflows-are-a-program',
    comment: 'Of the other programs workflows import only types, and never scripts or tests.',
    from: { path: '^workflows/' },
    to: codeOf('api|activities|workers|scripts|test'),
  },
  {
    name: 'workers-are-on-top',
    comment: 'Workers bring activities and workflows to their queues; they know nothing of the API.',
    from: { path: '^workers/' },
    to: { path: '^(api|scripts|test)/' },
  },
  {
    name: 'console-is-a-client',
    comment:
      'The console knows the service only through its HTTP interface: it imports the client, and no other code.',
    from: { path: '^console/' },
    to: { path: `${ANYTHING}|^packages/`, pathNot: '^(console/src/|packages/client/)' },
  },
  {
    name: 'nobody-imports-the-console',
    comment: 'The console is built by itself; the API serves its files.',
    from: { path: '^(?!console/|test/)' },
    to: { path: '^console/' },
  },
  {
    name: 'no-cycle-of-files',
    comment: 'Files that import each other, types included, are one file or have a third one in common.',
    from: {},
    to: { circular: true },
  },
  {
    name: 'no-cycle-of-areas',
    comment: 'Areas of the domain stand above each other in one order.',
    scope: 'folder',
    from: { path: '^shared/domain/[^/]+$' },
    to: { circular: true },
  },
  {
    name: 'areas-through-their-face',
    comment:
      'An area is used from another one through its index.ts; model.ts, rules.ts, wire.ts, settings.ts and errors.ts are open.',
    from: { path: '^(?:test/)?shared/domain/([^/]+)/' },
    to: { path: AREAS, pathNot: ['^shared/domain/$1/', FACE, PURE_FILES] },
  },
  {
    name: 'programs-through-the-face',
    comment:
      'Programs use an area through its index.ts; model.ts, rules.ts, wire.ts, settings.ts and errors.ts are open.',
    from: { path: '^(?:test/)?(api|activities|workflows|workers|scripts)/' },
    to: { path: AREAS, pathNot: [FACE, PURE_FILES] },
  },
].map((rule) => ({ severity: 'error', ...rule }));

/** @type {import('dependency-cruiser').ICruiseOptions} */
export const options = {
  tsPreCompilationDeps: true,
  tsConfig: { fileName: 'tsconfig.json' },
  doNotFollow: { path: 'node_modules' },
  enhancedResolveOptions: {
    exportsFields: ['exports'],
    conditionNames: ['import', 'node', 'default', 'types'],
  },
};

/** @type {import('dependency-cruiser').IConfiguration} */
export default { forbidden, options };
