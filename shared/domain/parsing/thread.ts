import { readSync } from 'node:fs';
import { limitedWork } from '../../kernel/limited-work.ts';
import { drawableFigure } from '../../science/figures/foreign-figure.ts';
import { DARK, LIGHT, type Theme } from '../../science/figures/theme.ts';
import { PreviewProblem } from '../../science/previews/model.ts';
import type { ParsingAnswer, ParsingJob } from './pool.ts';
import { syntaxProblem } from './syntax.ts';

// The HDF5 library would print a page about each damaged file. It captures this function when it is loaded.
console.error = () => {};

/** Runs in a thread of the pool. */
export default limitedWork(parse);

async function parse(job: ParsingJob): Promise<ParsingAnswer> {
  if (job.kind === 'syntax') return { problem: syntaxProblem(job.text, job.textKind) };
  try {
    if (job.kind === 'figure') {
      return await draw(readWhole(job.descriptor, job.size), job.theme === 'dark' ? DARK : LIGHT);
    }
    if (job.kind === 'device') {
      const { plotDevice } = await import('../../science/figures/device-plot.ts');
      return { png: plotDevice(job.device) };
    }
    // Loaded on demand, because the HDF5 library is as large as everything else.
    const { previewNetcdf } = await import('../../science/previews/preview.ts');
    return { preview: await previewNetcdf(readWhole(job.descriptor, job.size), job.filename) };
  } catch (thrown) {
    if (thrown instanceof PreviewProblem) return { problem: thrown.message };
    throw thrown;
  }
}

/** Drawing is loaded on demand, because it takes as much memory as everything else. */
async function draw(bytes: Uint8Array, theme: Theme): Promise<ParsingAnswer> {
  const text = new TextDecoder().decode(bytes);
  const problem = syntaxProblem(text, 'json');
  if (problem !== null) return { problem };
  const described = drawableFigure(JSON.parse(text));
  // A placeholder would hide the stored picture.
  const isPlaceholder = theme === DARK && described?.data.length === 0;
  if (described === null || isPlaceholder) {
    return { problem: 'it is no figure of the kinds that are drawn here' };
  }
  const { drawPng } = await import('../../science/figures/draw.ts');
  return { png: drawPng(described, theme) };
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
