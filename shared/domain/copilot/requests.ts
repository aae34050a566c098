import { CalibronError } from '../../kernel/errors.ts';
import type { ProjectId } from '../../kernel/ids.ts';
import { formatOf } from '../image-processing/rules.ts';

/** The project of a request, and who it is for. */
export interface Asker {
  projectId: ProjectId;
  /** The user whose share of the queues is used. */
  shareUserId: string;
}

/** Callbacks that follow an answer while it is created. */
export interface Following {
  signal?: AbortSignal;
  onStep?: (
    step: 'load_context' | 'run_chat' | 'tool_call' | 'thinking',
    message: string,
    lookup?: { tool?: string; completed_tools: readonly string[] },
  ) => void;
  onText?: (piece: string) => void;
}

/**
 * A picture from the request, with or without the header of a data URI.
 * @throws bad_request for a format that uploads do not accept either
 */
export function ownImage(base64: string | null | undefined): Buffer[] {
  if (!base64) return [];
  const image = Buffer.from(base64.replace(/^data:[^,]*,/, ''), 'base64');
  if (formatOf(image) === null) {
    throw new CalibronError('bad_request', 'Send a PNG, JPEG, GIF or WebP image as image_base64.');
  }
  return [image];
}
