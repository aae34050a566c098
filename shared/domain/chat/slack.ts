import type { Logger, LogLevel, WebClient } from '@slack/web-api';
import { z } from 'zod';

/** Milliseconds for one call. */
const CALL_TIMEOUT = 5000;

/** What the chat answers of a message that it has. */
const posted = z.object({ channel: z.string(), ts: z.string() });
export type Posted = z.infer<typeof posted>;

/** The chat cannot be asked at the moment. */
export class ChatAway extends Error {
  /** Seconds that it wants to be left alone, if it said so. */
  readonly retryAfter: number | undefined;

  constructor(message: string, retryAfter?: number) {
    super(message);
    this.name = 'ChatAway';
    this.retryAfter = retryAfter;
  }
}

/** The chat refuses a message, and will do so again. */
export class ChatRefusal extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'ChatRefusal';
  }
}

/** Errors that the chat itself calls passing. */
const passing = new Set([
  'fatal_error',
  'internal_error',
  'ratelimited',
  'request_timeout',
  'service_unavailable',
  'team_added_to_org',
]);

export type Slack = ReturnType<typeof createSlack>;

/** Slack's Web API. Repeats nothing by itself: that is left to the engine, which outlives this process. */
export function createSlack({ token, apiUrl }: { token: string; apiUrl: string }) {
  let opened: Promise<{ client: WebClient; library: typeof import('@slack/web-api') }> | undefined;

  /** The library is large, and most processes never send anything. */
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
     * Posts a message, once for each `client_msg_id`: asked again, Slack answers with the message that it has.
     * @throws ChatAway, ChatRefusal; neither holds the token
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

/** Whoever calls knows more of what went wrong, and what may be told of it. */
const silent = (level: LogLevel): Logger => ({
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  setLevel: nothing,
  setName: nothing,
  getLevel: () => level,
});
