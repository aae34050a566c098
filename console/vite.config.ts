import { defineConfig, type Plugin } from 'vite';

/** The browsers of the last two years. */
const TARGET = ['chrome123', 'firefox121', 'safari17.5'];

/** The texts of the components in other languages than the console's, which are a quarter of their code. */
const FOREIGN_TEXTS = /\/react-(?:aria|stately)[\w-]*\/.*\/intl\/.*\/(?!en-US)[\w-]+\.m?js$/;

const onlyEnglish: Plugin = {
  name: 'only-english',
  enforce: 'pre',
  load: (id) => (FOREIGN_TEXTS.test(id) ? 'export default {};' : null),
};

export default defineConfig({
  plugins: [onlyEnglish],
  // Relative to the page's base, which the API writes according to its address.
  base: './',
  worker: { format: 'es' },
  build: {
    target: TARGET,
    // An address of data would need a weaker content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 2000,
    reportCompressedSize: false,
  },
});
