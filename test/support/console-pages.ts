import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import axe from 'axe-core';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { z } from 'zod';
import { buildConsole } from '../../scripts/console/built-console.ts';
import { openBrowser, openContext } from './browser.ts';
import { administrator } from './common-laboratory.ts';
import { type LaboratoryApi, openLaboratoryApi } from './laboratory-api.ts';

const axeResults = z.object({
  violations: z.array(
    z.object({
      id: z.string(),
      impact: z.string().nullable(),
      nodes: z.array(z.object({ html: z.string() })),
    }),
  ),
});
/** Where to keep pictures of the pages, to look at them. */
const PICTURES = process.env['CALIBRON_CONSOLE_PICTURES'];

export interface Credentials {
  username: string;
  password: string;
}

/** The console of a laboratory in a browser: pages of several people, and what was wrong with them. */
export interface ConsolePages {
  api: LaboratoryApi;
  browser: Browser;
  /** What pages threw, refused to load or kept from screen readers. */
  faults: string[];
  /** A browser of its own with an empty page, whose faults are noted. */
  open(options?: BrowserContextOptions): Promise<{ context: BrowserContext; page: Page }>;
  /** A browser of its own whose page a user has signed in to. */
  enter(
    path: string,
    user?: Credentials,
    options?: BrowserContextOptions,
  ): Promise<{ context: BrowserContext; page: Page }>;
  /** Signs in on a page that shows the sign-in. */
  signIn(page: Page, user: Credentials): Promise<void>;
  /** Keeps pictures of the page as it is, and notes what screen readers could not use. */
  look(page: Page, name: string): Promise<void>;
  /** Prints what was on a page when a test failed. */
  tellOfFailure(page: Page): Promise<void>;
  close(): Promise<void>;
}

export async function openConsolePages(): Promise<ConsolePages> {
  const [api, browser] = await Promise.all([openLaboratoryApi(), openBrowser(), buildConsole()]);
  const faults: string[] = [];

  async function open(options: BrowserContextOptions = {}) {
    const context = await openContext(browser, { viewport: { width: 1400, height: 900 }, ...options });
    const page = await context.newPage();
    page.on('pageerror', (error) => faults.push(String(error)));
    page.on('console', (message) => {
      if (/content security|refused to/i.test(message.text())) faults.push(message.text());
    });
    return { context, page };
  }

  async function signIn(page: Page, user: Credentials): Promise<void> {
    await page.getByLabel('Username').fill(user.username);
    await page.getByLabel('Password').fill(user.password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  }

  return {
    api,
    browser,
    faults,
    signIn,
    open,
    async enter(path, user = administrator, options = {}) {
      const { context, page } = await open(options);
      await page.goto(new URL(`/console/${path}`, api.base).href);
      await signIn(page, user);
      await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor({ state: 'detached' });
      return { context, page };
    },
    async look(page, name) {
      faults.push(...(await lookAt(page, name)));
    },
    async tellOfFailure(page) {
      console.log(faults.join('\n'), (await page.locator('body').innerText()).slice(0, 3000));
      if (PICTURES) await page.screenshot({ path: join(PICTURES, 'failure.png') });
    },
    async close() {
      await browser.close();
      await api.close();
    },
  };
}

/** Keeps pictures of a page as it is. @returns what screen readers could not use */
export async function lookAt(page: Page, name: string): Promise<string[]> {
  await page.evaluate(axe.source);
  // Announcements of the components are read when they change, so their labels may be gone. The code editor's list of
  // suggestions has labels of its own, which add the kind of each.
  const found: unknown = await page.evaluate(
    "axe.run({ exclude: ['[data-live-announcer]', '.suggest-widget'] })",
  );
  if (PICTURES) await keepPictures(page, PICTURES, name);
  return axeResults
    .parse(found)
    .violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => {
      const places = nodes.map(({ html }) => html).join(' ');
      return `${name}: ${id}: ${places.slice(0, 900)}`;
    });
}

async function keepPictures(page: Page, folder: string, name: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    // Figures are drawn again in the colours of the scheme.
    await page.waitForTimeout(600);
    await page.screenshot({ path: join(folder, `${name}-${colorScheme}.png`) });
  }
  await page.emulateMedia({ colorScheme: null });
}
