// CommonJS, because the SDK loads a payload converter by require() in the worker and bundles it for workflows.
const { CompositePayloadConverter, defaultPayloadConverter } = require('@temporalio/common');

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
      const reason = error instanceof SyntaxError ? 'is not valid JSON' : 'has an unknown encoding';
      return { __calibron_unreadable: `the answer ${reason} (${error.message})` };
    }
  }
}

exports.payloadConverter = new TolerantConverter(...defaultPayloadConverter.converters);
