import { dynamicTool, type LanguageModelUsage, stepCountIs } from 'ai';
import type { CopilotSettings, Lookups, ModelSettings, ModelTool } from './model.ts';
import { costOf } from './rules.ts';

/** Minimum characters left for a look-up; below it no further look-ups are made. */
const MIN_ROOM = 500;
const USED_UP = 'Nothing more can be looked up. Answer with what you know by now, and say what is missing.';

/** Tools available for an answer, and the room left in the model's input. */
export interface BoundLookups extends Lookups {
  limits: CopilotSettings['chat'];
  /** In characters. */
  room: number;
}

/** Runs an answer with look-ups in rounds; the last round must answer. */
export function toolRounds(lookups: BoundLookups, price: ModelSettings['price']) {
  const { tools, limits, onLookup = () => undefined } = lookups;
  let room = lookups.room;
  let calls = 0;
  const completed: string[] = [];

  async function run(tool: ModelTool, given: unknown): Promise<string> {
    const longest = Math.min(limits.max_result_length, room);
    calls += 1;
    if (calls > limits.max_tool_calls || longest < MIN_ROOM) return USED_UP;
    // Reserved before the look-up starts, because several run concurrently.
    room -= longest;
    onLookup({ tool: tool.name, completed_tools: [...completed], done: false });
    const text = await tool.run(given, longest);
    room += longest - text.length;
    completed.push(tool.name);
    onLookup({ tool: tool.name, completed_tools: [...completed], done: true });
    return text;
  }

  function isUsedUp(steps: readonly { usage: LanguageModelUsage }[]): boolean {
    const tokens = { input_tokens: 0, output_tokens: 0 };
    for (const { usage } of steps) {
      tokens.input_tokens += usage.inputTokens ?? 0;
      tokens.output_tokens += usage.outputTokens ?? 0;
    }
    const cost = costOf(price, tokens);
    return (
      calls >= limits.max_tool_calls ||
      room < MIN_ROOM ||
      tokens.input_tokens + tokens.output_tokens >= limits.max_tokens ||
      (cost !== null && limits.max_cost !== null && cost >= limits.max_cost)
    );
  }

  return {
    tools: Object.fromEntries(
      tools.map((tool) => {
        const { name, description, input } = tool;
        const execute = (given: unknown) => run(tool, given);
        return [name, dynamicTool({ description, inputSchema: input, execute })] as const;
      }),
    ),
    stopWhen: stepCountIs(limits.max_rounds + 1),
    prepareStep: ({
      stepNumber,
      steps,
    }: {
      stepNumber: number;
      steps: readonly { usage: LanguageModelUsage }[];
    }) => (stepNumber >= limits.max_rounds || isUsedUp(steps) ? { toolChoice: 'none' as const } : {}),
  };
}
