import { once } from 'node:events';
import { get as request } from 'node:http';

/** An answer that was read to its end. Times in ms since the request. */
export interface TimedResponse {
  status: number;
  tag: string;
  firstByte: number;
  total: number;
  bytes: number;
}

/** Sends a GET request and reads the whole answer. */
export async function timedGet(
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<TimedResponse> {
  const began = performance.now();
  const [answer] = await once(request(url, { headers }), 'response');
  let firstByte = Number.NaN;
  let bytes = 0;
  for await (const chunk of answer) {
    if (bytes === 0) firstByte = performance.now() - began;
    bytes += chunk.length;
  }
  const { statusCode: status, headers: sent } = answer;
  return { status, tag: String(sent.etag ?? ''), firstByte, total: performance.now() - began, bytes };
}

/** Times and size of an answer, with the memory of the process that gave it in MB. */
export function answerText({ firstByte, total, bytes }: TimedResponse, memory: number): string {
  const size = `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
  return `first byte ${firstByte.toFixed(0)} ms, all ${total.toFixed(0)} ms, ${size}; API ${memory.toFixed(0)} MB`;
}
