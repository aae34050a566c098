import { readdir, readFile } from 'node:fs/promises';
import { z } from 'zod';
import { CalibronError } from '../../kernel/errors.ts';
import { packageRoot } from '../../kernel/package-root.ts';
import { taskNames } from '../../tasks/catalog.ts';
import { checkFlow } from './check-flow.ts';
import { type FlowTemplate, flowTemplate } from './model.ts';
import type { FlowTemplateDetail } from './saved-flow-model.ts';

const shipped = new URL('config/flows/', packageRoot);

/** The shipped templates of flows, as listed in `config/flows/templates.json`. */
export async function listTemplates(): Promise<FlowTemplate[]> {
  const text = await readFile(new URL('templates.json', shipped), 'utf8');
  return z.array(flowTemplate).parse(JSON.parse(text));
}

/** One template with its code and its declared parameters. @throws not_found */
export async function readTemplate(id: string): Promise<FlowTemplateDetail> {
  const template = (await listTemplates()).find((each) => each.id === id);
  if (!template) throw new CalibronError('not_found', 'There is no such flow template.');
  const code = await readFile(new URL(template.filename, shipped), 'utf8');
  const checked = checkFlow(code, template.function_name, taskNames());
  return { ...template, code, parameters: checked.ok ? checked.parameters : null };
}

/** The main declarations, which all others extend; listed first. */
const MAIN_HELPER = 'calibron.d.ts';

/** File names of the type declarations that flows are written against, the main one first. */
export async function listHelpers(): Promise<string[]> {
  const names = (await readdir(shipped)).filter((name) => name.endsWith('.d.ts') && name !== MAIN_HELPER);
  return [MAIN_HELPER, ...names.sort()];
}

/** The text of a helper file. @throws bad_request for an invalid file name, not_found */
export async function readHelper(filename: string): Promise<string> {
  if (/\.\.|[/\\]/.test(filename) || !filename.endsWith('.ts')) {
    throw new CalibronError('bad_request', 'The name of a helper file has no path and ends in .ts.');
  }
  if (!(await listHelpers()).includes(filename)) {
    throw new CalibronError('not_found', 'There is no such helper file; GET /flows/helpers lists them.');
  }
  return readFile(new URL(filename, shipped), 'utf8');
}
