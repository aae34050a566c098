import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];
/** Where Debian's package puts it, which is not on the PATH of every service. */
const DEBIAN = '/usr/bin/chromium';

/** The browser named by CALIBRON_BROWSER, on the PATH or of Debian's package; undefined for none. */
export function browserPath(): string | undefined {
  const named = process.env['CALIBRON_BROWSER'];
  if (named) return named;
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return [...folders.flatMap((folder) => NAMES.map((name) => join(folder, name))), DEBIAN].find(isProgram);
}

/** @throws if there is no browser */
export function openBrowser(): Promise<Browser> {
  // The sandbox of the browser needs rights that containers lack. It opens pages of these tests only.
  return chromium.launch({
    executablePath: browserPath() ?? DEBIAN,
    args: ['--no-sandbox', '--disable-gpu'],
  });
}

/** Milliseconds for one step of a page: far beyond what a slow and busy machine takes. */
const STEP_TIMEOUT = 120_000;

/** A browser session of its own, whose steps wait long enough for a slow machine. */
export async function openContext(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(STEP_TIMEOUT);
  return context;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
