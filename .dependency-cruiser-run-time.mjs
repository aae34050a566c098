/** Rules over what imports load at run time, however far down; types are gone by then. */
import { options } from './.dependency-cruiser.mjs';

const STORE_AND_ENGINE = ['node_modules/mongodb/', 'node_modules/@temporalio/(client|worker|activity)/'];
const OUTSIDE_WORLD =
  '^(node:)?(fs|fs/promises|net|http|https|http2|tls|dns|dgram|child_process|worker_threads|cluster|os|timers|timers/promises)$';
const ANALYSIS = '^shared/tasks/(analyses[.]ts$|.*/analysis([.]ts$|/))';
const FITTING = '^shared/science/fitting/';

/** @type {import('dependency-cruiser').IForbiddenRuleType[]} */
export const forbidden = [
  {
    name: 'workflows-are-deterministic',
    comment:
      'Workflows reach only the product itself and the pure packages of the engine: no zod, no store, no node module.',
    from: { path: '^workflows/' },
    to: {
      reachable: true,
      path: '.',
      pathNot: ['^(workflows|shared)/', 'node_modules/@temporalio/(workflow|common)/'],
    },
  },
  {
    name: 'science-is-pure',
    comment: 'Science reaches no store, no engine, no file and no network.',
    from: { path: '^shared/science/' },
    to: { reachable: true, path: [...STORE_AND_ENGINE, OUTSIDE_WORLD] },
  },
  {
    name: 'open-files-are-pure',
    comment: 'What areas show besides their face reaches no store, no engine, no file and no network.',
    from: { path: '^shared/domain/[^/]+/.*(model|rules|wire)[.]ts$' },
    to: { reachable: true, path: [...STORE_AND_ENGINE, OUTSIDE_WORLD] },
  },
  {
    name: 'api-fits-nothing',
    comment:
      'The API reaches no analysis and no fit: what is heavy to load and to run belongs to the workers.',
    from: { path: '^api/' },
    to: { reachable: true, path: [ANALYSIS, FITTING] },
  },
  {
    name: 'simulations-analyse-nothing',
    comment:
      'A simulation reaches no analysis and no figure: it is an instrument, which may fit to adjust itself, no more.',
    from: { path: '^shared/tasks/(simulations[.]ts$|.*/simulation([.]ts$|/))' },
    to: { reachable: true, path: [ANALYSIS, '^shared/science/figures/'] },
  },
].map((rule) => ({ severity: 'error', ...rule }));

/** @type {import('dependency-cruiser').IConfiguration} */
export default { forbidden, options: { ...options, tsPreCompilationDeps: false } };
