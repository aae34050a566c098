import { buildGuide } from './built-guide.ts';

// `npm run docs`, and part of `npm run build`.
await buildGuide();
