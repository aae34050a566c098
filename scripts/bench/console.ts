import { type CDPSession, chromium, type Page } from 'playwright-core';
import { z } from 'zod';
import { browserPath } from '../../test/support/browser.ts';
import { buildConsole } from '../console/built-console.ts';
import { openStubService, PROGRESS_EVERY, type StubService } from './console/stub-service.ts';
import type { Figure } from './figure.ts';

const EVENTS_PER_MINUTE = 2000;
/** Events that arrive together in the shortened hour. It divides a quarter of an hour of them. */
const BATCH = 200;
/** Milliseconds between two checks whether the page shows them. */
const POLL_MS = 20;
const LIVE_MS = 30_000;
const SMALL_LIVE_MS = 5000;
/** Milliseconds for which a page is left alone after it is usable, so that late work is counted too. */
const SETTLES_MS = 2000;

/** What the page counts about itself. */
const COUNTERS = `
  globalThis.counted = { longest: 0, frames: [] };
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) counted.longest = Math.max(counted.longest, duration);
  }).observe({ type: 'longtask', buffered: true });
  const frame = (at) => { counted.frames.push(at); requestAnimationFrame(frame); };
  requestAnimationFrame(frame);
`;
const counters = z.object({ longest: z.number(), frames: z.array(z.number()) });

/** The console in a browser, over answers that are made up: `npm run bench -- console [small] [minutes=60]`. */
export async function benchConsole(options: readonly string[]): Promise<Figure[]> {
  const path = browserPath();
  if (path === undefined) throw new Error('There is no browser: name one in CALIBRON_BROWSER.');
  await buildConsole();
  const minutes = options.find((each) => each.startsWith('minutes='))?.slice('minutes='.length);
  const liveMs = minutes ? Number(minutes) * 60_000 : options.includes('small') ? SMALL_LIVE_MS : LIVE_MS;
  const browser = await chromium.launch({ executablePath: path, args: ['--no-sandbox', '--disable-gpu'] });
  try {
    const figures: Figure[] = [];
    for (const qubits of [144, 1024]) {
      const service = await openStubService(qubits);
      const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
      await page.addInitScript(COUNTERS);
      figures.push(
        ...(await measureOpening(page, service, qubits)),
        ...(await measureLive(page, service, qubits, liveMs)),
        ...(qubits === 144 && !options.includes('small') ? [await measureHour(page, service)] : []),
      );
      await page.close();
      await service.close();
    }
    return figures;
  } finally {
    await browser.close();
  }
}

/** From the sign-in to a chip that can be used, and what was loaded until then. */
async function measureOpening(page: Page, service: StubService, qubits: number): Promise<Figure[]> {
  const sizes: Promise<number>[] = [];
  page.on('requestfinished', (request) => {
    if (request.url().includes('/console/api/')) return;
    sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize));
  });
  await page.goto(service.address);
  await page.getByLabel('Username').fill('user');
  await page.getByLabel('Password').fill('password');
  const began = Date.now();
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: new RegExp(`^Qubit ${qubits - 1}, `) }).waitFor();
  const usable = Date.now() - began;
  await page.waitForTimeout(SETTLES_MS);
  const { longest } = counters.parse(await page.evaluate('counted'));
  const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  return [
    ...(qubits === 144
      ? [{ name: 'first load, compressed', value: `${Math.round(bytes / 1024)} KB`, budget: '250 KB' }]
      : []),
    {
      name: `${qubits} qubits: from sign-in to the chip`,
      value: `${usable} ms`,
      ...(qubits === 144 && { budget: '1000 ms' }),
    },
    {
      name: `${qubits} qubits: longest task of the page`,
      value: `${Math.round(longest)} ms`,
      budget: qubits === 144 ? '100 ms' : '300 ms',
    },
  ];
}

/** A run whose events colour the chip. */
async function measureLive(
  page: Page,
  service: StubService,
  qubits: number,
  durationMs: number,
): Promise<Figure[]> {
  const session = await page.context().newCDPSession(page);
  // In processor time, which other programs of the machine do not lengthen.
  await session.send('Performance.setTimeDomain', { timeDomain: 'threadTicks' });
  await session.send('Performance.enable');
  service.startRun(EVENTS_PER_MINUTE);
  await page.getByRole('progressbar').waitFor();
  await page.evaluate('counted.longest = 0; counted.frames = [];');
  const before = await metricsOf(session);
  await page.waitForTimeout(durationMs);
  const after = await metricsOf(session);
  const { longest, frames } = counters.parse(await page.evaluate('counted'));
  const seconds = durationMs / 1000;
  const share = (name: string) => {
    const spent = (after.get(name) ?? 0) - (before.get(name) ?? 0);
    return `${((100 * spent) / seconds).toFixed(1)} %`;
  };
  const waits = frames.slice(1).map((at, index) => at - (frames[index] ?? at));
  const name = `${qubits} qubits, ${EVENTS_PER_MINUTE} events/min`;
  const mib = (bytes = 0) => (bytes / 2 ** 20).toFixed(1);
  return [
    {
      name: `${name}: frames a second`,
      value: (frames.length / seconds).toFixed(1),
      ...(qubits === 144 && { budget: '50' }),
    },
    { name: `${name}: longest time between frames`, value: `${Math.round(Math.max(0, ...waits))} ms` },
    {
      name: `${name}: longest task`,
      value: `${Math.round(longest)} ms`,
      budget: qubits === 144 ? '100 ms' : '300 ms',
    },
    { name: `${name}: processor time of scripts`, value: share('ScriptDuration') },
    { name: `${name}: of layout and style`, value: share('LayoutDuration') },
    { name: `${name}: of all tasks`, value: share('TaskDuration') },
    {
      name: `${name}: heap before and after ${seconds} s`,
      value: `${mib(before.get('JSHeapUsedSize'))}, ${mib(after.get('JSHeapUsedSize'))} MiB`,
    },
  ];
}

/**
 * The heap while the events of an hour reach the page as fast as it shows them: some at a time, the next ones when it has
 * shown the last of these.
 */
async function measureHour(page: Page, service: StubService): Promise<Figure> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  const heaps: string[] = [];
  const nodes: number[] = [];
  const look = async () => {
    const metrics = await metricsOf(session);
    heaps.push(((metrics.get('JSHeapUsedSize') ?? 0) / 2 ** 20).toFixed(2));
    nodes.push(metrics.get('Nodes') ?? 0);
  };
  await look();
  const all = EVENTS_PER_MINUTE * 60;
  for (let sent = BATCH; sent <= all; sent += BATCH) {
    const expected = service.hurry(BATCH);
    while ((await shownEnds(page)) < expected - PROGRESS_EVERY) await page.waitForTimeout(POLL_MS);
    if (sent % (all / 4) === 0) await look();
  }
  return {
    name: `144 qubits: heap after 0, 15, 30, 45, 60 min of events`,
    value: `${heaps.join(', ')} MiB; ${nodes.join(', ')} nodes`,
  };
}

/** The number of ended tasks that the page shows. */
async function shownEnds(page: Page): Promise<number> {
  const text = await page.evaluate("document.querySelector('.progress .number')?.textContent ?? ''");
  return Number.parseInt(z.string().parse(text), 10) || 0;
}

/** What the browser counts about a page, without garbage. */
async function metricsOf(session: CDPSession): Promise<Map<string, number>> {
  await session.send('HeapProfiler.collectGarbage');
  const { metrics } = await session.send('Performance.getMetrics');
  return new Map(metrics.map(({ name, value }) => [name, value]));
}
