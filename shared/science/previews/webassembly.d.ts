// The part of Node.js' WebAssembly API that previews use, besides what the flow isolate declares.
declare namespace WebAssembly {
  interface Memory {
    grow(pages: number): number;
  }
}
