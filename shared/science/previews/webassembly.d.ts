// The part of node's WebAssembly that previews use, beside what the flow isolate declares.
declare namespace WebAssembly {
  interface Memory {
    grow(pages: number): number;
  }
}
