import { z } from 'zod';
import { CalibronError, messageOf } from '../../kernel/errors.ts';
import { type ProjectId, type TaskId, taskIdSchema } from '../../kernel/ids.ts';
import type { Logger } from '../../kernel/log.ts';
import type { AiReviews } from '../ai-reviews/index.ts';
import type { Chips } from '../chips/index.ts';
import type { ModelTool } from '../language-models/model.ts';
import { quotedData } from '../language-models/quoting-rules.ts';
import type { Metrics } from '../metrics/index.ts';
import type { TaskResultStore } from '../results/index.ts';
import type { StoredParameters, TaskResultDocument } from '../results/model.ts';
import { figureInNumbers } from './figure-rules.ts';

interface Dependencies {
  results: Pick<TaskResultStore, 'get' | 'list' | 'latestByTarget' | 'outputHistory'>;
  chips: Pick<Chips, 'list' | 'listQubits' | 'readTarget'>;
  metrics: Pick<Metrics, 'summary' | 'heatmap'>;
  evidence: Pick<AiReviews['evidence'], 'figure' | 'knowledge'>;
  log: Pick<Logger, 'error'>;
}

const DAY = 86_400_000;
const text = z.string().min(1).max(200);
const chip_id = text;
const qid = z.string().min(1).max(64);

/** Look-ups of the assistant: everything in one project that its members can read, and nothing else. */
export function createLookups({ results, chips, metrics, evidence, log }: Dependencies) {
  /** A tool that answers with quoted data, or with a message why there is none. */
  function lookup<Input>(
    name: string,
    description: string,
    { input, read }: { input: z.ZodType<Input>; read(given: Input): Promise<unknown> },
  ): ModelTool {
    const answer = async (given: unknown) => {
      const understood = input.safeParse(given);
      if (!understood.success) return { refused: z.prettifyError(understood.error) };
      try {
        return await read(understood.data);
      } catch (thrown) {
        if (thrown instanceof CalibronError) return { refused: messageOf(thrown) };
        log.error({ err: thrown, tool: name }, 'look-up failed');
        return { refused: 'This cannot be looked up at the moment.' };
      }
    };
    return {
      name,
      description,
      input,
      run: async (given, longest) => quotedData(`look-up ${name}`, await answer(given), longest),
    };
  }

  return {
    /** The look-ups of a chat, limited to its project even if the model names other projects. */
    of(projectId: ProjectId): ModelTool[] {
      async function mustGet(taskId: TaskId): Promise<TaskResultDocument> {
        const result = await results.get(projectId, taskId);
        if (result) return result;
        throw new CalibronError('not_found', 'There is no such task result in this project.');
      }

      return [
        lookup('list_chips', 'The chips of the project.', {
          input: z.object({}),
          read: () => chips.list(projectId),
        }),
        lookup('calibration_state', 'The values that count now, of qubits ("3") or couplings ("3-4").', {
          input: z.object({ chip_id, targets: z.array(qid).min(1).max(32) }),
          read: async ({ chip_id: chip, targets }) =>
            Promise.all(
              targets.map(async (target) => {
                const kind = target.includes('-') ? 'coupling' : 'qubit';
                const { data, status } = await chips.readTarget(kind, projectId, chip, target);
                return { target, status, values: valuesOf(data) };
              }),
            ),
        }),
        lookup('metrics_summary', 'Means of the metrics over the qubits of a chip.', {
          input: z.object({ chip_id }),
          read: ({ chip_id: chip }) => metrics.summary(projectId, chip),
        }),
        lookup('metric_values', 'One metric, such as t1, of every qubit or coupling of a chip.', {
          input: z.object({ chip_id, metric: text }),
          read: ({ chip_id: chip, metric }) => metrics.heatmap(projectId, chip, metric),
        }),
        lookup('latest_results', 'The newest result of a task, such as CheckT1, for each target of a chip.', {
          input: z.object({ chip_id, task: text }),
          read: async ({ chip_id: chip, task }) =>
            [...(await results.latestByTarget(projectId, chip, task)).values()].map(shortOf),
        }),
        lookup('list_results', 'Results of tasks, the newest first; each field narrows the list.', {
          input: z.object({
            chip_id: chip_id.optional(),
            task_name: text.optional(),
            qid: qid.optional(),
            status: z.enum(['completed', 'failed', 'running', 'skipped', 'cancelled']).optional(),
            limit: z.number().int().min(1).max(50).default(20),
          }),
          read: async ({ limit, ...filter }) => {
            const { items, total } = await results.list(projectId, filter, { skip: 0, limit });
            return { total, items: items.map(shortOf) };
          },
        }),
        lookup('task_result', 'All of one result: parameters, quality, message, notes, review.', {
          input: z.object({ task_id: taskIdSchema }),
          read: async ({ task_id }) => {
            const result = await mustGet(task_id);
            return {
              ...shortOf(result),
              chip: result.chip_id,
              inputs: valuesOf(result.input_parameters),
              run_parameters: valuesOf(result.run_parameters),
              quality: result.quality_metrics,
              excluded: result.excluded === true,
              note: result.user_note?.content.slice(0, 2000) ?? '',
              review: result.ai_review_note?.content.slice(0, 4500) ?? '',
            };
          },
        }),
        lookup('output_history', 'Earlier values of one output parameter of a target, the newest first.', {
          input: z.object({
            chip_id,
            qid,
            parameter: text.regex(/^[A-Za-z0-9_]+$/),
            days: z.number().int().min(1).max(366).default(90),
            limit: z.number().int().min(1).max(100).default(30),
          }),
          read: async ({ chip_id: chip, qid: target, parameter, days, limit }) => {
            const since = new Date(Date.now() - days * DAY);
            const of = { parameter, qid: target };
            const found = await results.outputHistory(projectId, chip, of, { since, limit, skip: 0 });
            return found.map(({ task_id, name, status, start_at, excluded, output_parameters }) => ({
              task_id,
              task: name,
              status,
              start_at,
              excluded: excluded === true,
              ...valuesOf({ ...pick(output_parameters, parameter) }),
            }));
          },
        }),
        lookup(
          'task_knowledge',
          'What is known about a task: what to expect, failures, cases of this project.',
          {
            input: z.object({ task: text }),
            read: async ({ task }) =>
              (await evidence.knowledge({ name: task, project_id: projectId }, 0)).text,
          },
        ),
        lookup('figure', 'The figure of a result, in numbers.', {
          input: z.object({ task_id: taskIdSchema }),
          read: async ({ task_id }) => {
            const figure = await evidence.figure(await mustGet(task_id));
            return figure ? figureInNumbers(figure) : { refused: 'This result has no figure.' };
          },
        }),
      ];
    },
  };
}

/** A result in a list. */
function shortOf(result: TaskResultDocument) {
  const { task_id, name, qid: target, status, message, start_at, output_parameters, ai_review } = result;
  return {
    task_id,
    task: name,
    target,
    status,
    message: message.slice(0, 300),
    start_at,
    outputs: valuesOf(output_parameters),
    ...(ai_review?.decision && { review: ai_review.decision }),
  };
}

type Values = Readonly<Record<string, { value: unknown; unit?: string; error?: number | null | undefined }>>;

function valuesOf(parameters: Values) {
  return Object.fromEntries(
    Object.entries(parameters).map(
      ([name, { value, unit, error }]) => [name, { value, unit, error }] as const,
    ),
  );
}

function pick(parameters: StoredParameters, name: string): StoredParameters {
  const found = parameters[name];
  return found ? { [name]: found } : {};
}
