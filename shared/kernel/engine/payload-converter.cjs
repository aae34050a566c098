// CommonJS, because the SDK loads a payload converter by require() in the worker and bundles it for workflows.
const {
  ApplicationFailure,
  CompositePayloadConverter,
  defaultPayloadConverter,
  JsonPayloadConverter,
} = require('@temporalio/common');
const { decode, encode } = require('@temporalio/common/lib/encoding');

/** Lists and objects within each other; what is deeper overflows the stack of whoever walks it by calling itself. */
const LEVELS = 200;
/** `failureTypes.encoding`, which CommonJS cannot import. */
const ENCODING_FAILURE = 'EncodingError';

/** JSON whose texts and keys hold no half of a surrogate pair. JSON.stringify escapes halves, and whole pairs never. */
function wellFormed(json) {
  return json.replace(/\\(?:\\|u(d[89a-f][0-9a-f]{2}))/g, (found, half) =>
    half === undefined ? found : '\\ufffd',
  );
}

/**
 * Python writes NaN and infinity as bare words, which no JSON has. They become texts, so that whoever reads the value
 * can say which number it was.
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

/** JSON that engine, store and clients can all hold, whoever wrote it. */
class BoundedJsonConverter extends JsonPayloadConverter {
  toPayload(value) {
    if (value === undefined) return undefined;
    return { ...super.toPayload(null), data: encode(wellFormed(writtenJson(value))) };
  }

  fromPayload(payload) {
    const json = decode(payload.data ?? new Uint8Array());
    if (isTooDeep(json)) throw new RangeError(`more than ${LEVELS} levels`);
    const value = parsedJson(json);
    // A worker in another language may escape all that is not ASCII, so the halves are looked for in our own writing.
    const mayHoldHalves = /\\ud/i.test(json) || !json.isWellFormed();
    return mayHoldHalves ? JSON.parse(wellFormed(JSON.stringify(value))) : value;
  }
}

/** @throws ApplicationFailure that is final: written again it would fail again */
function writtenJson(value) {
  let reason = `is nested more than ${LEVELS} levels deep`;
  try {
    const json = JSON.stringify(value);
    if (json !== undefined && !isTooDeep(json)) return json;
    if (json === undefined) reason = `is a ${typeof value}`;
  } catch (error) {
    // A RangeError is the end of the stack.
    if (!(error instanceof RangeError)) reason = `cannot be written as JSON (${error.message})`;
  }
  throw ApplicationFailure.nonRetryable(`A value for the engine ${reason}.`, ENCODING_FAILURE);
}

/**
 * A payload that cannot be read would fail the workflow task for ever and keep the project locked: JSON that is none
 * (Python writes NaN as a bare word, for instance), or another encoding, in a signal that somebody sends by hand. It
 * becomes a value that says so (unreadable.ts), which the workflow turns into a failure of that one activity.
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
