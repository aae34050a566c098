import { z } from 'zod';
import { type Protocol, type Said, wordsOf } from './model-server.ts';

const messagesRequest = z.looseObject({
  model: z.string(),
  max_tokens: z.number(),
  stream: z.boolean().optional(),
  system: z.unknown().optional(),
  temperature: z.number().optional(),
  top_k: z.number().optional(),
  tools: z.array(z.looseObject({ name: z.string() })).optional(),
  tool_choice: z.looseObject({ type: z.string(), name: z.string().optional() }).optional(),
  messages: z.array(
    z.looseObject({
      role: z.enum(['user', 'assistant']),
      content: z.array(z.looseObject({ type: z.string() })),
    }),
  ),
});
export type MessagesRequest = z.infer<typeof messagesRequest>;

const usage = { input_tokens: 100, output_tokens: 20 };
const event = (type: string, data: object) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;

type Block = { type: 'text'; text: string } | { type: 'tool_use'; id: string; name: string; input: unknown };

/** The blocks of an answer. Where one tool has to be called, the text that is said is what it is called with. */
function blocksOf({ tool_choice: choice }: MessagesRequest, { text, calls = [] }: Said): Block[] {
  const forced = choice?.type === 'tool' || choice?.type === 'any' ? (choice.name ?? 'json') : null;
  const input = forced !== null && text !== undefined ? parsed(text) : undefined;
  const all = input === undefined ? calls : [{ name: forced ?? '', input }];
  return [
    ...(text !== undefined && input === undefined ? [{ type: 'text' as const, text }] : []),
    ...all.map((call, index) => ({ type: 'tool_use' as const, id: `toolu_${index}`, ...call })),
  ];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const stopOf = (blocks: readonly Block[]) =>
  blocks.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn';
const message = (model: string) => ({ id: 'msg_1', type: 'message', role: 'assistant', model });

const errors: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  429: 'rate_limit_error',
  500: 'api_error',
  529: 'overloaded_error',
};

/** Anthropic's messages. */
export const anthropicMessages: Protocol<MessagesRequest> = {
  path: '/messages',
  read: (body) => messagesRequest.parse(body),
  whole(body, said) {
    const content = blocksOf(body, said);
    return { ...message(body.model), content, stop_reason: stopOf(content), stop_sequence: null, usage };
  },
  frames(body, said) {
    const blocks = blocksOf(body, said);
    const begun = { ...message(body.model), content: [], stop_reason: null, stop_sequence: null };
    return [
      event('message_start', { message: { ...begun, usage: { ...usage, output_tokens: 1 } } }),
      ...blocks.flatMap((block, index) => [
        event('content_block_start', {
          index,
          content_block: block.type === 'text' ? { type: 'text', text: '' } : { ...block, input: {} },
        }),
        ...(block.type === 'text'
          ? wordsOf(block).map((text) => ({ type: 'text_delta', text }))
          : [{ type: 'input_json_delta', partial_json: JSON.stringify(block.input) }]
        ).map((delta) => event('content_block_delta', { index, delta })),
        event('content_block_stop', { index }),
      ]),
      event('message_delta', { delta: { stop_reason: stopOf(blocks), stop_sequence: null }, usage }),
      event('message_stop', {}),
    ];
  },
  refusal: (status) => ({
    type: 'error',
    error: { type: errors[status] ?? 'api_error', message: 'no' },
  }),
};
