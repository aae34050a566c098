import { z } from 'zod';
import type { ProjectId, UserId } from '../../kernel/ids.ts';
import { hasControlCharacters } from '../../kernel/text.ts';
import { boolean, isAddressable } from '../../kernel/wire.ts';
import { jsonValue } from '../flows/model.ts';

/** Maximum bytes of a menu as JSON; a menu that names 4,096 qubits and their couplings needs half of it. */
const MAX_MENU_BYTES = 512 * 1024;

/** A qubit, or a coupling as `<control>-<target>`; older clients also send qubits as numbers. */
export const targetId = z.preprocess(
  (given) => (typeof given === 'number' ? String(given) : given),
  z.string().regex(/^\d{1,5}(-\d{1,5})?$/, 'must be the id of a qubit or coupling'),
);

/** The order in which targets are measured. */
export type ScheduleNode =
  | string
  | { serial: ScheduleNode[] }
  | { parallel: ScheduleNode[] }
  | { batch: string[] };

/** A target, serial parts, parallel parts, or a batch of targets measured together. */
function nodeOf(target: z.ZodType<string>, id: string): z.ZodType<ScheduleNode> {
  const node: z.ZodType<ScheduleNode> = z
    .lazy(() =>
      z.union([
        target,
        z.strictObject({ serial: z.array(node) }),
        z.strictObject({ parallel: z.array(node) }),
        z.strictObject({ batch: z.array(target) }),
      ]),
    )
    .meta({ id });
  return node;
}

export const scheduleNode = nodeOf(targetId, 'GivenScheduleNode');
/** Schedule node in responses. */
const shownNode = nodeOf(z.string(), 'ScheduleNode');

export const names = z.array(z.string().max(100)).max(1000);
export const taskDetails = z.record(z.string(), jsonValue);
/** Some clients send the parts of a menu as text: JSON, or comma-separated names. */
const text = z.string();

const menuName = z
  .string()
  .min(1)
  .max(100)
  .refine((given) => !hasControlCharacters(given), 'must have no control characters')
  .refine(isAddressable, 'must not be . or ..');

const fields = {
  name: menuName,
  chip_id: z.string().max(64).default(''),
  description: z.string().max(5000).default(''),
  backend: z.string().max(100).default(''),
  tasks: z.union([names, text]).nullable().default(null),
  task_details: z
    .union([taskDetails, text])
    .nullable()
    .default(null)
    .describe(
      'The tasks by name. Values of `input_parameters` that differ from the catalog are set for the run.',
    ),
  tags: z.union([names, text]).nullable().default(null),
};

/** A menu as clients send it. The owner comes from the request. */
export const menuBody = z
  .object({
    ...fields,
    schedule: z.union([scheduleNode, text]).describe('A tree, or its JSON as a text.'),
    notify_bool: boolean().default(false),
  })
  .refine((given) => Buffer.byteLength(JSON.stringify(given)) <= MAX_MENU_BYTES, {
    error: `must have at most ${MAX_MENU_BYTES / 1024} KB as JSON`,
  });
export type MenuBody = z.infer<typeof menuBody>;

/** A menu as the API shows it. */
export const menu = z
  .object({ ...fields, username: z.string(), schedule: shownNode, notify_bool: z.boolean() })
  .meta({ id: 'Menu' });
export type Menu = z.infer<typeof menu>;

export const menuList = z.object({ menus: z.array(menu) });

/** A menu as stored; `_id` is `<project_id>/<user_id>/<name>`. */
export interface MenuDocument extends MenuBody {
  _id: string;
  project_id: ProjectId;
  user_id: UserId;
  username: string;
  created_at: Date;
  updated_at: Date;
}

/** The parsed content of a menu. */
export interface MenuContent {
  name: string;
  schedule: ScheduleNode;
  tasks: string[];
  task_details: z.infer<typeof taskDetails>;
  tags: string[];
}
