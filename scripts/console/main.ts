import { buildConsole } from './built-console.ts';

// Part of `npm run build`; `npm start` runs it beside the service.
await buildConsole();
