/**
 * Draws the expected figure of each task on a good device, and writes it beside the task's page as `expected.png`. The
 * figures are not part of the repository; without them the pages have none. With task names as arguments, writes only the
 * figures of these tasks.
 */

import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EXPECTED_FIGURE, knowledgeFolderOf } from '../shared/domain/task-knowledge/rules.ts';
import { drawPng } from '../shared/science/figures/draw.ts';
import type { Figure } from '../shared/science/figures/model.ts';
import { taskCatalog } from '../shared/tasks/catalog.ts';
import { createBringUp, targetsOf } from './bring-up.ts';

const knowledge = fileURLToPath(new URL('../config/task-knowledge', import.meta.url));

/** The figure that shows the values found. */
function informativeOf(figures: readonly Figure[]): Figure | undefined {
  return figures.find(({ layout }) => layout.meta?.figure_role === 'marked') ?? figures[0];
}

const bringUp = createBringUp();

async function main(): Promise<void> {
  const wanted = process.argv.slice(2);
  const pictures: { file: string; png: Uint8Array }[] = [];
  for (const task of taskCatalog) {
    const drawn: Figure[][] = [];
    for (const qid of targetsOf(task)) {
      try {
        const analysis = (await bringUp.calibrate(task, qid))?.analysis;
        if (analysis?.refused !== undefined) console.warn(`${task.name} on ${qid}: ${analysis.refused}`);
        drawn.push(analysis?.figures ?? []);
      } catch (thrown) {
        console.warn(`${task.name} on ${qid}: ${thrown instanceof Error ? thrown.message : thrown}`);
      }
    }
    const figure = informativeOf(drawn[0] ?? []);
    const folder = join(knowledge, knowledgeFolderOf(task));
    if (!figure || !existsSync(folder) || (wanted.length > 0 && !wanted.includes(task.name))) continue;
    pictures.push({ file: join(knowledgeFolderOf(task), EXPECTED_FIGURE), png: drawPng(figure) });
  }
  // Written together at the end, so that either all figures exist or none.
  for (const { file, png } of pictures) {
    writeFileSync(join(knowledge, file), png);
    console.log(file);
  }
}

process.on('exit', () => bringUp.remove());
for (const event of ['disconnect', 'SIGTERM'] as const) process.once(event, () => process.exit(1));
// The channel to the parent process must not keep this process alive.
process.channel?.unref();
await main();
