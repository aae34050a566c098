import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import { isStoreFull, isStoreUnavailable } from '../../shared/kernel/database.ts';
import { diskProblemOf } from '../../shared/kernel/disk-errors.ts';
import { isEngineUnavailable } from '../../shared/kernel/engine/temporal.ts';
import { CalibronError, type KernelErrorCode, messageOf } from '../../shared/kernel/errors.ts';

/** Seconds after which a client may retry when the store or the engine is unavailable. */
export const RETRY_AFTER = 5;

/** Responses to errors of the web framework itself, by its error codes. */
const frameworkErrors: Record<string, [KernelErrorCode, string]> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ['too_large', 'The request body is too large.'],
  FST_REQ_FILE_TOO_LARGE: ['too_large', 'The file is too large.'],
  FST_FILES_LIMIT: ['too_large', 'Send one file.'],
  FST_PARTS_LIMIT: ['too_large', 'The form has too many parts.'],
  FST_FIELDS_LIMIT: ['too_large', 'The form has too many fields.'],
  FST_INVALID_MULTIPART_CONTENT_TYPE: [
    'unsupported_media_type',
    'Send a form with a file (multipart/form-data).',
  ],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['bad_request', 'The body is not as long as Content-Length says.'],
};

/** Converts anything thrown into the error that the caller receives. */
function calibronErrorOf(thrown: unknown, request: FastifyRequest): CalibronError {
  if (thrown instanceof CalibronError) return thrown;
  if (isStoreFull(thrown)) {
    return new CalibronError(
      'disk_unavailable',
      "The database's disk is full; free some room and try again.",
      {
        retryAfter: RETRY_AFTER,
        cause: thrown,
      },
    );
  }
  const diskProblem = thrown instanceof Error && 'code' in thrown ? diskProblemOf(String(thrown.code)) : null;
  if (diskProblem !== null) {
    return new CalibronError('disk_unavailable', `The service's disk ${diskProblem}; try again later.`, {
      retryAfter: RETRY_AFTER,
      cause: thrown,
    });
  }
  if (isStoreUnavailable(thrown)) {
    return new CalibronError('store_unavailable', 'The database does not answer; try again.', {
      retryAfter: RETRY_AFTER,
      cause: thrown,
    });
  }
  if (isEngineUnavailable(thrown)) {
    return new CalibronError('engine_unavailable', 'The workflow engine does not answer; try again.', {
      retryAfter: RETRY_AFTER,
      cause: thrown,
    });
  }
  if (codeOf(thrown) === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    const accepted = request.routeOptions.schema?.consumes ?? ['application/json'];
    return new CalibronError(
      'unsupported_media_type',
      `This content type is not accepted here. Send ${accepted.join(' or ')}.`,
      { cause: thrown },
    );
  }
  const known = frameworkErrors[codeOf(thrown)];
  if (known) return new CalibronError(known[0], known[1], { cause: thrown });
  if (isClientError(thrown)) {
    return new CalibronError('bad_request', 'The request cannot be read.', { cause: thrown });
  }
  return new CalibronError('internal', 'The service failed; the request id names the entry in its log.', {
    cause: thrown,
  });
}

/** Sends all errors in one format, including those for unknown routes and methods. */
export const errors = fastifyPlugin(
  async (app: FastifyInstance) => {
    app.setErrorHandler((thrown, request, reply) => sendError(thrown, request, reply));
    app.setNotFoundHandler((request, reply) => answerUnknown(app, request, reply));
  },
  { name: 'errors', dependencies: ['known-routes'] },
);

/** Responds to a request for an unknown address, or for a method that the address does not support. */
export function answerUnknown(
  app: Pick<FastifyInstance, 'knownRoutes'>,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const methods = app.knownRoutes.methodsOf(request.url);
  if (methods.length === 0) {
    return sendError(new CalibronError('not_found', 'There is no such address.'), request, reply);
  }
  void reply.header('allow', methods.join(', '));
  return sendError(
    new CalibronError('method_not_allowed', 'This address does not take this method.'),
    request,
    reply,
  );
}

/** Sends the error response for anything thrown. */
export function sendError(thrown: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const error = calibronErrorOf(thrown, request);
  if (error.code === 'internal') {
    request.log.error({ err: thrown, cause: causeOf(thrown), request_id: request.id }, 'request failed');
  }
  if (error.status === 401 && !reply.hasHeader('www-authenticate')) {
    void reply.header('www-authenticate', 'Bearer');
  }
  if (error.retryAfter !== undefined) void reply.header('retry-after', String(error.retryAfter));
  return reply.code(error.status).send({ detail: detailOf(error), code: error.code });
}

function detailOf(error: CalibronError) {
  if (error.code !== 'invalid_input') return error.message;
  return error.problems ?? [{ type: 'value_error', loc: ['body'], msg: error.message }];
}

/** The cause of an error as text, for example why a response violates its own schema. */
function causeOf(thrown: unknown): string | undefined {
  return thrown instanceof Error && thrown.cause !== undefined ? messageOf(thrown.cause) : undefined;
}

function codeOf(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';
}

function isClientError(thrown: unknown): boolean {
  if (!(thrown instanceof Error) || !('statusCode' in thrown)) return false;
  const status = Number(thrown.statusCode);
  return codeOf(thrown).startsWith('FST_') && status >= 400 && status < 500;
}
