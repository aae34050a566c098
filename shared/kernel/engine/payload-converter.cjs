// CommonJS, because the SDK loads a payload converter by require() in the worker and bundles it for workflows.
const {
  CompositePayloadConverter,
  JsonPayloadConverter,
  defaultPayloadConverter,
} = require('@temporalio/common');

/**
 * JSON that cannot be read (Python writes NaN as a bare word, for instance) would fail the workflow task
 * for ever and keep the project locked. It becomes a value that says so (unreadable.ts), which the
 * workflow turns into a failure of that one activity.
 */
class TolerantJsonConverter extends JsonPayloadConverter {
  fromPayload(payload) {
    try {
      return super.fromPayload(payload);
    } catch (error) {
      return { __calibron_unreadable: `the answer is not valid JSON (${error.message})` };
    }
  }
}

exports.payloadConverter = new CompositePayloadConverter(
  ...defaultPayloadConverter.converters.map((converter) =>
    converter.encodingType === 'json/plain' ? new TolerantJsonConverter() : converter,
  ),
);
