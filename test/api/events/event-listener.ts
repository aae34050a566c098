import { get, type IncomingMessage } from 'node:http';

/** An event as a listener received it. */
export interface ReceivedEvent {
  id: string | undefined;
  event: string;
  data: unknown;
}

export interface EventListener {
  status: number;
  headers: IncomingMessage['headers'];
  events: ReceivedEvent[];
  /** Number of comment lines (heartbeats) received so far. */
  beats(): number;
  /** Resolves when the server has ended the answer, rejects when the connection broke. */
  ended: Promise<void>;
  close(): void;
}

/** The data of an event without its name, which has to be in the JSON too. */
function dataOf(event: string, text: string): unknown {
  const { type, ...data } = JSON.parse(text);
  if (type !== event) throw new Error(`the data of an event ${event} has the type ${type}`);
  return data;
}

/** Listens to server-sent events as a browser does. */
export function listen(url: string, headers: Record<string, string>): Promise<EventListener> {
  return new Promise((resolve, reject) => {
    const request = get(url, { headers, agent: false }, (answer) => {
      const events: ReceivedEvent[] = [];
      let comments = 0;
      let rest = '';
      answer.setEncoding('utf8').on('data', (text: string) => {
        const blocks = (rest + text).split('\n\n');
        rest = blocks.pop() ?? '';
        for (const block of blocks) {
          const fields = new Map(
            block.split('\n').map((line): [string, string] => {
              const colon = line.indexOf(':');
              return [line.slice(0, colon), line.slice(colon + 1).trim()];
            }),
          );
          const event = fields.get('event');
          if (event === undefined) comments += 1;
          else events.push({ id: fields.get('id'), event, data: dataOf(event, fields.get('data') ?? '') });
        }
      });
      const ended = new Promise<void>((done, broken) => {
        answer.once('end', done).once('error', broken);
      });
      // When the test closes a listener, `ended` rejects; that is no error.
      ended.catch(() => undefined);
      resolve({
        status: answer.statusCode ?? 0,
        headers: answer.headers,
        events,
        beats: () => comments,
        ended,
        close: () => request.destroy(),
      });
    });
    request.once('error', reject);
  });
}
