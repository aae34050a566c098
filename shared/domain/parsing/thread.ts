// First, before the library is loaded.
import './quiet-console.ts';
import { readSync } from 'node:fs';
import { PreviewProblem } from '../../science/previews/model.ts';
import { previewNetcdf } from '../../science/previews/preview.ts';
import type { ParsingAnswer, ParsingJob } from './pool.ts';
import { syntaxProblem } from './syntax.ts';

/** Runs in a thread of the pool. */
export default async function parse(job: ParsingJob): Promise<ParsingAnswer> {
  if (job.kind === 'syntax') return { problem: syntaxProblem(job.text, job.textKind) };
  try {
    return { preview: await previewNetcdf(readWhole(job.descriptor, job.size), job.filename) };
  } catch (thrown) {
    if (thrown instanceof PreviewProblem) return { problem: thrown.message };
    throw thrown;
  }
}

function readWhole(descriptor: number, size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  let read = 0;
  while (read < size) {
    const more = readSync(descriptor, bytes, read, size - read, read);
    if (more === 0) throw new PreviewProblem('it shrank while it was being read');
    read += more;
  }
  return bytes;
}
