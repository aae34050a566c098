/** A page of the guide: a markdown file of the repository, which is readable without the guide as well. */
export interface GuidePage {
  /** Path in the repository. */
  file: string;
  title: string;
}

export interface GuideSection {
  title: string;
  /** What a reader finds here. */
  about: string;
  pages: readonly GuidePage[];
}

const docs = (name: string, title: string): GuidePage => ({ file: `docs/${name}.md`, title });

/** The first page. */
export const frontPage: GuidePage = { file: 'README.md', title: 'Start' };

/** The order of the guide. Each page of docs/ is in exactly one section. */
export const guideSections: readonly GuideSection[] = [
  {
    title: 'Tutorials',
    about: 'from nothing to a result',
    pages: [
      frontPage,
      docs('your-own-chip', 'Calibrate your own chip'),
      docs('python', 'Work in Python, connect an instrument'),
      docs('console', 'The web console'),
    ],
  },
  {
    title: 'How-to guides',
    about: 'one task at a time',
    pages: [
      docs('running', 'Run it on one machine'),
      docs('operating', 'Operate it for a lab'),
      docs('alerts', 'When an alert fires'),
      docs('backup', 'Back up and restore'),
      docs('upgrading', 'Upgrade'),
      docs('versions', 'Versions of workers'),
      docs('secrets', 'Rotate secrets'),
      docs('mongodb', 'Your own MongoDB'),
      docs('kubernetes', 'Kubernetes'),
      docs('atlas', 'MongoDB Atlas'),
      docs('temporal-cloud', 'Temporal Cloud'),
      docs('flows', 'Write a flow'),
      docs('clients', 'Write a client'),
      docs('agents', 'Let an agent calibrate'),
      docs('simulator', 'Try faults on the simulated chip'),
      docs('benchmarks', 'Measure speed'),
    ],
  },
  {
    title: 'Reference',
    about: 'all there is; much of it is generated from the code',
    pages: [
      docs('tasks', 'Tasks'),
      docs('settings', 'Settings'),
      docs('limits', 'Limits'),
      docs('configuration', 'Configuration files'),
      docs('backend-contract', 'Contract with a backend'),
      docs('words', 'Words'),
      { file: 'CHANGELOG.md', title: 'Changelog' },
      { file: 'THIRD_PARTY.md', title: 'Software of others' },
    ],
  },
  {
    title: 'Explanation',
    about: 'how it works, and why',
    pages: [
      docs('architecture', 'Architecture'),
      docs('gates', 'What is accepted of a measurement'),
      docs('maintenance', 'Which values still hold'),
    ],
  },
  {
    title: 'Contributing',
    about: 'changes of Calibron itself',
    pages: [
      { file: 'CONTRIBUTING.md', title: 'Contributing' },
      docs('adding-a-task', 'Add a task'),
      docs('adding-a-route', 'Add a route'),
      docs('adding-a-setting', 'Add a setting'),
      docs('adding-a-workflow', 'Add a workflow'),
      docs('adding-an-area', 'Add an area'),
      docs('releasing', 'Make a release'),
      { file: 'SECURITY.md', title: 'Report a vulnerability' },
    ],
  },
];

export const guidePages: readonly GuidePage[] = guideSections.flatMap(({ pages }) => pages);

/** The page's file in the built guide. */
export function builtName({ file }: GuidePage): string {
  if (file === frontPage.file) return 'index.html';
  const name = file.replace(/^docs\//, '').replace(/\.md$/, '');
  return `${name.toLowerCase().replaceAll('_', '-')}.html`;
}
