import type { Logger, LogLevel, WebClient } from '@slack/web-api';
import { z } from 'zod';

/** Timeout of one call in milliseconds. */
const CALL_TIMEOUT = 5000;

/** The chat's answer to a posted message. */
const posted = z.object({ channel: z.string(), ts: z.string() });
export type Posted = z.infer<typeof posted>;

/** The chat is currently unavailable. */
export class ChatAway extends Error {
  /** Seconds to wait before the next call, if the chat sent them. */
  readonly retryAfter: number | undefined;

  constructor(message: string, retryAfter?: number) {
    super(message);
    this.name = 'ChatAway';
    this.retryAfter = retryAfter;
  }
}

/** The chat refuses a message permanently. */
export class ChatRefusal extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'ChatRefusal';
  }
}

/** Errors that the chat documents as temporary. */
const passing = new Set([
  'fatal_error',
  'internal_error',
  'ratelimited',
  'request_timeout',
  'service_unavailable',
  'team_added_to_org',
]);

export type Slack = ReturnType<typeof createSlack>;

/** Slack's Web API. Does not retry: the engine does, because it outlives this process. */
export function createSlack({ token, apiUrl }: { token: string; apiUrl: string }) {
  let opened: Promise<{ client: WebClient; library: typeof import('@slack/web-api') }> | undefined;

  /** Loaded on demand: the library is large, and most processes never send anything. */
  async function open() {
    const library = await import('@slack/web-api');
    const client = new library.WebClient(token, {
      slackApiUrl: apiUrl,
      timeout: CALL_TIMEOUT,
      retryConfig: { retries: 0 },
      rejectRateLimitedCalls: true,
      allowAbsoluteUrls: false,
      logger: silent(library.LogLevel.ERROR),
    });
    return { client, library };
  }

  return {
    /**
     * Posts a message, once for each `client_msg_id`: when repeated, Slack returns the existing message.
     * @throws ChatAway, ChatRefusal; neither contains the token
     */
    async post(message: {
      client_msg_id: string;
      channel: string;
      [argument: string]: unknown;
    }): Promise<Posted> {
      opened ??= open();
      const { client, library } = await opened;
      try {
        return posted.parse(await client.apiCall('chat.postMessage', message));
      } catch (thrown) {
        if (thrown instanceof library.WebAPIRateLimitedError) {
          throw new ChatAway('The chat asks to wait.', thrown.retryAfter);
        }
        if (thrown instanceof library.WebAPIHTTPError) {
          throw new ChatAway(`The chat answers with status ${thrown.statusCode}.`);
        }
        if (thrown instanceof library.WebAPIPlatformError) {
          const { error } = thrown.data;
          throw passing.has(error) ? new ChatAway(`The chat answers ${error}.`) : new ChatRefusal(error);
        }
        if (thrown instanceof library.WebAPIRequestError) throw new ChatAway('The chat does not answer.');
        throw new ChatAway('The chat answers something else than Slack does.');
      }
    },
  };
}

const nothing = () => {};

/** Silences the library's logger: the caller knows the context of an error, and what may be logged of it. */
const silent = (level: LogLevel): Logger => ({
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  setLevel: nothing,
  setName: nothing,
  getLevel: () => level,
});
