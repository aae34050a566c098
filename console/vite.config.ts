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

/** Where the components look whether the language of the browser is a language at all. */
const LOOKS_FOR_LANGUAGE = /\/react-aria\/dist\/private\/i18n\/useDefaultLocale\.m?js$/;
const SLOW_LOOK = 'Intl.DateTimeFormat.supportedLocalesOf(';

/** Looks in another way, which refuses the same texts but does not read the data of all languages first, some 40 ms long. */
const quickLanguage: Plugin = {
  name: 'quick-language',
  transform(code, id) {
    if (!LOOKS_FOR_LANGUAGE.test(id)) return null;
    if (!code.includes(SLOW_LOOK)) this.error(`${id} is another than expected: it may have become quick.`);
    return { code: code.replace(SLOW_LOOK, 'Intl.getCanonicalLocales('), map: null };
  },
};

/** Has the page load what its first script imports later, at once and side by side. */
const preloadParts: Plugin = {
  name: 'preload-parts',
  transformIndexHtml: {
    order: 'post',
    handler(_html, { bundle = {}, chunk: first }) {
      const parts = new Set<string>();
      const add = (name: string) => {
        const part = bundle[name];
        if (part?.type !== 'chunk' || parts.has(name)) return;
        parts.add(name);
        part.imports.forEach(add);
      };
      first?.dynamicImports.forEach(add);
      return [...parts]
        .filter((name) => !first?.imports.includes(name))
        .map((name) => ({
          tag: 'link',
          attrs: { rel: 'modulepreload', crossorigin: true, href: `./${name}` },
          injectTo: 'head',
        }));
    },
  },
};

export default defineConfig({
  plugins: [onlyEnglish, quickLanguage, preloadParts],
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
