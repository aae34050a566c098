import * as monaco from 'monaco-editor/editor/editor.api.js';
// Suggestions, search, folding and the other parts of the editor, which nothing here names.
import 'monaco-editor/features/register.all.js';
import EditorWorker from 'monaco-editor/editor/editor.worker.js?worker';
import 'monaco-editor/languages/definitions/typescript/register.js';
import {
  ModuleKind,
  ModuleResolutionKind,
  ScriptTarget,
  typescriptDefaults,
} from 'monaco-editor/languages/features/typescript/register.js';
import TypesWorker from 'monaco-editor/languages/features/typescript/ts.worker.js?worker';
import type { FlowProblem } from './flow-text.ts';

export type Editor = monaco.editor.IStandaloneCodeEditor;

/** Shows two texts beside each other. */
export interface DiffEditor {
  dispose(): void;
}

const OWNER = 'calibron';

/** Files that declare what a flow works with. */
export interface Declaration {
  filename: string;
  text: string;
}

// By default the editor creates workers from a text, which the content security policy of the page forbids.
globalThis.MonacoEnvironment = {
  getWorker: (_id, label) => (label === 'typescript' ? new TypesWorker() : new EditorWorker()),
};

typescriptDefaults.setCompilerOptions({
  target: ScriptTarget.ESNext,
  module: ModuleKind.ESNext,
  moduleResolution: ModuleResolutionKind.NodeJs,
  // A flow has no browser, no files and no timers.
  lib: ['es2023'],
  types: [],
  strict: true,
  noImplicitAny: false,
  allowNonTsExtensions: true,
});

const COMMON: monaco.editor.IEditorOptions & monaco.editor.IGlobalEditorOptions = {
  automaticLayout: true,
  fontSize: 13,
  minimap: { enabled: false },
  scrollBeyondLastLine: false,
  fixedOverflowWidgets: true,
};

const themeOf = (isDark: boolean) => (isDark ? 'vs-dark' : 'vs');

/** Lets the editor complete and check against these declarations. */
export function declare(declarations: readonly Declaration[]): void {
  typescriptDefaults.setExtraLibs(
    declarations.map(({ filename, text }) => ({ content: text, filePath: `file:///calibron/${filename}` })),
  );
}

export interface EditorOptions {
  code: string;
  label: string;
  isReadOnly: boolean;
  isDark: boolean;
}

export function createEditor(place: HTMLElement, options: EditorOptions): Editor {
  const { code, label, isReadOnly, isDark } = options;
  return monaco.editor.create(place, {
    ...COMMON,
    model: monaco.editor.createModel(code, 'typescript'),
    ariaLabel: label,
    readOnly: isReadOnly,
    theme: themeOf(isDark),
    tabSize: 2,
  });
}

export function createDiffEditor(
  place: HTMLElement,
  texts: { before: string; after: string; label: string; isDark: boolean },
): DiffEditor {
  const { before, after, label, isDark } = texts;
  const editor = monaco.editor.createDiffEditor(place, {
    ...COMMON,
    readOnly: true,
    originalEditable: false,
    renderSideBySideInlineBreakpoint: 700,
    hideUnchangedRegions: { enabled: true },
    theme: themeOf(isDark),
  });
  // The editor's own options for these labels do not reach the fields that screen readers find.
  editor.getOriginalEditor().updateOptions({ ariaLabel: `${label}: before` });
  editor.getModifiedEditor().updateOptions({ ariaLabel: `${label}: after` });
  const original = monaco.editor.createModel(before, 'typescript');
  const modified = monaco.editor.createModel(after, 'typescript');
  const comparison = editor.createViewModel({ original, modified });
  editor.setModel(comparison);
  return {
    dispose() {
      editor.dispose();
      // A comparison that is still running would fail without its texts.
      comparison.dispose();
      original.dispose();
      modified.dispose();
    },
  };
}

/** Disposes of an editor and its model, which Monaco would keep. */
export function dispose(editor: Editor): void {
  const model = editor.getModel();
  editor.dispose();
  model?.dispose();
}

/** Marks the problems at their lines and shows the first. */
export function showProblems(editor: Editor, problems: readonly FlowProblem[]): void {
  const model = editor.getModel();
  if (!model) return;
  monaco.editor.setModelMarkers(
    model,
    OWNER,
    problems.map(({ line, message }) => {
      const at = Math.min(Math.max(1, line), model.getLineCount());
      return {
        severity: monaco.MarkerSeverity.Error,
        message,
        startLineNumber: at,
        endLineNumber: at,
        startColumn: Math.max(1, model.getLineFirstNonWhitespaceColumn(at)),
        endColumn: model.getLineMaxColumn(at),
      };
    }),
  );
  const [first] = problems;
  if (first) editor.revealLineInCenterIfOutsideViewport(Math.min(first.line, model.getLineCount()));
}

/** Calls a function at Ctrl+S or Cmd+S. */
export function onSaveKey(editor: Editor, save: () => void): void {
  editor.addCommand(monaco.KeyMod.CtrlCmd | monaco.KeyCode.KeyS, save);
}

export function setTheme(isDark: boolean): void {
  monaco.editor.setTheme(themeOf(isDark));
}
