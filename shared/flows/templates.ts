import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { CalibronError } from '../errors.ts';
import { type FlowTemplate, flowTemplate } from './model.ts';
import type { FlowTemplateDetail } from './saved-flow.ts';

const shipped = new URL('../../config/flows/', import.meta.url);

/** The shipped starting points of flows, as `config/flows/templates.json` lists them. */
export async function listTemplates(): Promise<FlowTemplate[]> {
  const text = await readFile(new URL('templates.json', shipped), 'utf8');
  return z.array(flowTemplate).parse(JSON.parse(text));
}

/** One template with its code. @throws not_found */
export async function readTemplate(id: string): Promise<FlowTemplateDetail> {
  const template = (await listTemplates()).find((each) => each.id === id);
  if (!template) throw new CalibronError('not_found', 'There is no such flow template.');
  return { ...template, code: await readFile(new URL(template.filename, shipped), 'utf8') };
}
