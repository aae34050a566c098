import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { z } from 'zod';
import { openBrowser } from '../support/browser.ts';

const PLOTLY = 'application/vnd.plotly.v1+json';

export const notebookFile = z.looseObject({
  cells: z.array(
    z.looseObject({
      cell_type: z.string(),
      outputs: z.array(z.looseObject({ data: z.record(z.string(), z.unknown()).optional() })).optional(),
    }),
  ),
});
type Notebook = z.infer<typeof notebookFile>;

/** The Plotly figures among the outputs of a notebook. */
export function figuresOf({ cells }: Notebook): Record<string, unknown>[] {
  return cells
    .flatMap(({ outputs = [] }) => outputs)
    .flatMap(({ data }) => (data && PLOTLY in data ? [data] : []));
}

/**
 * Adds a picture to each figure of a notebook, for readers such as GitHub that do not draw Plotly figures.
 * @param plotly the file plotly.min.js of the Python package
 */
export async function addPictures(notebook: Notebook, plotly: string): Promise<void> {
  const browser = await openBrowser();
  try {
    const page = await browser.newPage({ viewport: { width: 760, height: 520 } });
    await page.setContent('<div id="figure" style="width:700px;height:450px"></div>');
    await page.addScriptTag({ content: await readFile(plotly, 'utf8') });
    for (const data of figuresOf(notebook)) data['image/png'] = await pictureOf(page, data[PLOTLY]);
  } finally {
    await browser.close();
  }
}

async function pictureOf(page: Page, figure: unknown): Promise<string> {
  const url = await page.evaluate(
    `Plotly.newPlot('figure', ${JSON.stringify(figure)}).then((drawn) => Plotly.toImage(drawn, { format: 'png', width: 700, height: 450 }))`,
  );
  return z.string().parse(url).replace('data:image/png;base64,', '');
}
