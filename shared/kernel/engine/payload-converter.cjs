// CommonJS, because the SDK loads a payload converter by require() in the worker and bundles it for workflows.
const {
  ApplicationFailure,
  CompositePayloadConverter,
  defaultPayloadConverter,
  JsonPayloadConverter,
} = require('@temporalio/common');
const { decode, encode } = require('@temporalio/common/lib/encoding');

/** Maximum nesting of lists and objects. Deeper values overflow the stack of recursive code. */
const LEVELS = 200;
/** Same as `failureTypes.encoding`, which CommonJS cannot import. */
const ENCODING_FAILURE = 'EncodingError';

/** Removes lone surrogates from the strings and keys of JSON. JSON.stringify escapes lone surrogates only, never pairs. */
function wellFormed(json) {
  return json.replace(/\\(?:\\|u(d[89a-f][0-9a-f]{2}))/g, (found, half) =>
    half === undefined ? found : '\\ufffd',
  );
}

/**
 * Python writes NaN and infinity as bare words, which are not valid JSON. They become strings, so that the reader can
 * report which number it was.
 */
function parsedJson(json) {
  try {
    return JSON.parse(json);
  } catch (error) {
    if (!/NaN|Infinity/.test(json)) throw error;
    return JSON.parse(
      json.replace(/"(?:[^"\\]|\\.)*"|-?\b(?:NaN|Infinity)\b/g, (found) =>
        found.startsWith('"') ? found : `"${found}"`,
      ),
    );
  }
}

function isTooDeep(json) {
  if (json.length < 2 * LEVELS) return false;
  let levels = 0;
  for (const [found] of json.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/g)) {
    if (found === '[' || found === '{') levels += 1;
    else if (found === ']' || found === '}') levels -= 1;
    if (levels > LEVELS) return true;
  }
  return false;
}

/** Limits JSON from any source to what engine, store and clients can all hold. */
class BoundedJsonConverter extends JsonPayloadConverter {
  toPayload(value) {
    if (value === undefined) return undefined;
    return { ...super.toPayload(null), data: encode(wellFormed(writtenJson(value))) };
  }

  fromPayload(payload) {
    const json = decode(payload.data ?? new Uint8Array());
    if (isTooDeep(json)) throw new RangeError(`more than ${LEVELS} levels`);
    const value = parsedJson(json);
    // A worker in another language may escape all non-ASCII characters, so serialise again before looking for lone surrogates.
    const mayHoldHalves = /\\ud/i.test(json) || !json.isWellFormed();
    return mayHoldHalves ? JSON.parse(wellFormed(JSON.stringify(value))) : value;
  }
}

/** @throws a non-retryable ApplicationFailure, because a retry would fail again */
function writtenJson(value) {
  let reason = `is nested more than ${LEVELS} levels deep`;
  try {
    const json = JSON.stringify(value);
    if (json !== undefined && !isTooDeep(json)) return json;
    if (json === undefined) reason = `is a ${typeof value}`;
  } catch (error) {
    // A RangeError is a stack overflow.
    if (!(error instanceof RangeError)) reason = `cannot be written as JSON (${error.message})`;
  }
  throw ApplicationFailure.nonRetryable(`A value for the engine ${reason}.`, ENCODING_FAILURE);
}

/**
 * Makes unreadable payloads harmless: invalid JSON (Python, for example, writes NaN as a bare word), or an unknown encoding
 * in a signal sent by hand. Without this, the workflow task would fail forever and keep the project locked. The payload
 * becomes a value that describes the problem (unreadable.ts), and the workflow fails only that one activity.
 */
class TolerantConverter extends CompositePayloadConverter {
  fromPayload(payload, ...rest) {
    try {
      return super.fromPayload(payload, ...rest);
    } catch (error) {
      return { __calibron_unreadable: `the answer ${reasonOf(error)} (${error.message})` };
    }
  }
}

function reasonOf(error) {
  if (error instanceof SyntaxError) return 'is not valid JSON';
  return error instanceof RangeError ? 'is nested too deeply' : 'has an unknown encoding';
}

const others = defaultPayloadConverter.converters.filter(
  (converter) => !(converter instanceof JsonPayloadConverter),
);
exports.payloadConverter = new TolerantConverter(...others, new BoundedJsonConverter());
