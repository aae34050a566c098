import type { TaskCategory, TaskDefinition } from '../../tasks/model.ts';

/** Picture beside a page: the expected result of its task on a good device. */
export const EXPECTED_FIGURE = 'expected.png';

/** Maximum bytes of a picture shown with a task or stored beside a page: the same as for uploads. */
export const MAX_PICTURE_BYTES = 5 * 1024 * 1024;
/** Maximum bytes of the pictures of one exported case, and of all approved cases shown with a task. */
export const MAX_PICTURES_BYTES = 4 * MAX_PICTURE_BYTES;

/** Folders of pages about tasks, and their titles. */
export const KNOWLEDGE_CATEGORIES = {
  'box-setup': 'Box Setup',
  system: 'System',
  'cw-characterization': 'CW Characterization',
  'td-characterization': 'TD Characterization',
  'one-qubit-gate-calibration': 'One-Qubit Gate Calibration',
  'two-qubit-gate-calibration': 'Two-Qubit Gate Calibration',
  benchmarking: 'Benchmarking',
} as const;
export type KnowledgeCategory = keyof typeof KNOWLEDGE_CATEGORIES;

const folderOf: Record<TaskCategory, KnowledgeCategory> = {
  'Box Setup': 'box-setup',
  'CW Measurements': 'cw-characterization',
  '1Q Coarse': 'td-characterization',
  '1Q Fine': 'td-characterization',
  Measurement: 'td-characterization',
  Benchmarking: 'benchmarking',
  '2Q Calibration': 'two-qubit-gate-calibration',
  Lab: 'td-characterization',
};

/** Folder of the shipped page about a task: `<category>/<task>`. */
export function knowledgeFolderOf({ name, category }: Pick<TaskDefinition, 'name' | 'category'>): string {
  const isPulse = /^(Check|Create)(DRAG)?H?PIPulse$/.test(name);
  return `${isPulse ? 'one-qubit-gate-calibration' : folderOf[category]}/${name}`;
}
