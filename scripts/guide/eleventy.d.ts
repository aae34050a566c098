/** The parts of Eleventy that scripts/guide uses; the package has no types. */
declare module '@11ty/eleventy' {
  interface EleventyConfig {
    addTemplate(path: string, content: string, data: Record<string, unknown>): void;
    addPassthroughCopy(files: Record<string, string>): void;
    setLibrary(format: string, library: object): void;
    setTemplateFormats(formats: readonly string[]): void;
  }
  interface EleventyOptions {
    quietMode: boolean;
    configPath: null;
    config(config: EleventyConfig): {
      markdownTemplateEngine: false;
      dir: { input: string; output: string; includes: string };
    };
  }
  export default class Eleventy {
    constructor(input: string, output: string, options: EleventyOptions);
    write(): Promise<unknown>;
  }
}
