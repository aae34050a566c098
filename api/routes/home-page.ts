import { escaped } from '../../shared/kernel/markup.ts';
import { SERVICE_VERSION } from '../../shared/kernel/service-version.ts';
import type { Readiness } from './readiness.ts';

const MESSAGES: Record<Readiness['status'], string> = {
  ready: 'Calibron is ready.',
  degraded:
    'Calibron serves, but not as it should: logins or file reads take long, or a disk is nearly full.',
  stopping: 'Calibron is stopping.',
  unavailable: 'Calibron is not ready.',
};
/** Seconds until the page of a service that is not ready loads itself again. */
const RELOAD_AFTER = 5;

/**
 * The page at the service's own address, for a service that is not ready or has no console: whether it is ready, what it
 * waits for, and where the documentation is.
 */
export function homePage(
  { status, store, engine, problem, shortage }: Readiness,
  hasConsole: boolean,
): string {
  const reload = status === 'ready' ? '' : `<meta http-equiv="refresh" content="${RELOAD_AFTER}">`;
  const reasons = [
    ...(store ? [] : ['The database does not answer.']),
    ...(engine ? [] : ['Temporal does not answer yet, so no run can start.']),
    ...(problem === null ? [] : [problem]),
    ...(shortage === null ? [] : [shortage]),
  ];
  return `<!doctype html><html lang="en"><head><meta charset="utf-8">${reload}
<title>Calibron</title><style>body{font-family:sans-serif;max-width:45rem;margin:3rem auto;padding:0 1rem}</style></head>
<body><h1>Calibron ${escaped(SERVICE_VERSION)}</h1><p>${MESSAGES[status]}</p>
${reasons.map((reason) => `<p>${escaped(reason)}</p>`).join('\n')}
<p>${hasConsole ? '<a href="./console/">Console</a> · ' : ''}<a href="./docs">All routes</a></p></body></html>\n`;
}
