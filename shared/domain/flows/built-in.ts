import { readFile } from 'node:fs/promises';
import { keyOf, type ProjectId } from '../../kernel/ids.ts';
import { packageRoot } from '../../kernel/package-root.ts';
import { taskNames } from '../../tasks/catalog.ts';
import { builtInFlows } from './built-in-rules.ts';
import { checkFlow } from './check-flow.ts';
import type { FlowDocument, FlowVersionDocument } from './saved-flow-model.ts';

const shipped = new URL('config/flows/built-in/', packageRoot);
/** Author and creation time shown for built-in flows. */
const AUTHOR = 'calibron';
const beginning = new Date(0);

/** A built-in flow with its code, in the format of a project's flows. */
interface BuiltInFlow {
  flow: FlowDocument;
  version: Omit<FlowVersionDocument, '_id'>;
}

const read = new Map<string, Promise<Omit<FlowVersionDocument, '_id' | 'project_id'>>>();

/** The built-in flow of a name; null for any other name. */
export async function builtInFlow(projectId: ProjectId, name: string): Promise<BuiltInFlow | null> {
  if (!builtInFlows.has(name)) return null;
  const reading = read.get(name) ?? versionOf(name);
  read.set(name, reading);
  const version = await reading;
  return {
    version: { project_id: projectId, ...version },
    flow: {
      _id: keyOf(projectId, name),
      project_id: projectId,
      name,
      username: AUTHOR,
      description: 'Built in.',
      chip_id: '',
      flow_function_name: version.function_name,
      hash: version.hash,
      parameters: null,
      default_parameters: {},
      default_run_parameters: {},
      tags: [],
      created_at: beginning,
      updated_at: beginning,
    },
  };
}

async function versionOf(name: string): Promise<Omit<FlowVersionDocument, '_id' | 'project_id'>> {
  const source = await readFile(new URL(`${name}.ts`, shipped), 'utf8');
  const checked = checkFlow(source, name, taskNames());
  if (!checked.ok) throw new Error(`The built-in flow ${name} is wrong: ${checked.problems[0].message}`);
  const { javascript, hash } = checked;
  return { name, hash, source, javascript, function_name: name, author: AUTHOR, created_at: beginning };
}
