import { once } from 'node:events';
import { get as request } from 'node:http';

/** A response that was read to its end. Times in ms since the request. */
export interface TimedResponse {
  status: number;
  tag: string;
  firstByte: number;
  total: number;
  bytes: number;
}

/** Sends a GET request and reads the whole response. */
export async function timedGet(
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<TimedResponse> {
  const began = performance.now();
  const [response] = await once(request(url, { headers }), 'response');
  let firstByte = Number.NaN;
  let bytes = 0;
  for await (const chunk of response) {
    if (bytes === 0) firstByte = performance.now() - began;
    bytes += chunk.length;
  }
  const { statusCode: status, headers: sent } = response;
  return { status, tag: String(sent.etag ?? ''), firstByte, total: performance.now() - began, bytes };
}
