import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { api, dataOf } from '../api.ts';
import { Problem, Waiting } from '../ui/feedback.tsx';
import { useIsDark } from '../ui/figure.tsx';
import type { FlowProblem } from './flow-text.ts';
import type { Declaration, Editor } from './monaco.ts';

type Library = typeof import('./monaco.ts');

/** The editor's library with the declarations of flows; it is loaded with the first editor. */
function useLibrary() {
  return useQuery({
    queryKey: ['editor'],
    queryFn: async (): Promise<{ library: Library }> => {
      const [library, declarations] = await Promise.all([import('./monaco.ts'), declarationsOfFlows()]);
      library.declare(declarations);
      return { library };
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  });
}

async function declarationsOfFlows(): Promise<Declaration[]> {
  const names = await dataOf(api.GET('/flows/helpers'));
  return Promise.all(
    names.map(async (filename) => ({
      filename,
      text: await dataOf(api.GET('/flows/helpers/{filename}', { params: { path: { filename } } })),
    })),
  );
}

interface CodeEditorProps {
  /** The text at first; later ones need another key. */
  initial: string;
  label: string;
  isReadOnly: boolean;
  problems: readonly FlowProblem[];
  onChange(code: string): void;
  /** @param code the text as it is now, which `onChange` may not have been shown yet */
  onSave(code: string): void;
}

/** A flow as text, with completion and types. Ctrl+M lets Tab leave the editor. */
export function CodeEditor({ initial, label, isReadOnly, problems, onChange, onSave }: CodeEditorProps) {
  const place = useRef<HTMLDivElement>(null);
  const [editor, setEditor] = useState<Editor | null>(null);
  const { data, error } = useLibrary();
  const isDark = useIsDark();
  const calls = useRef({ onChange, onSave });
  calls.current = { onChange, onSave };
  const first = useRef({ code: initial, label, isReadOnly, isDark });
  const library = data?.library;

  useEffect(() => {
    if (!library || !place.current) return;
    const created = library.createEditor(place.current, first.current);
    created.onDidChangeModelContent(() => calls.current.onChange(created.getValue()));
    library.onSaveKey(created, () => calls.current.onSave(created.getValue()));
    setEditor(created);
    return () => {
      setEditor(null);
      library.dispose(created);
    };
  }, [library]);
  useEffect(() => library?.setTheme(isDark), [library, isDark]);
  useEffect(() => {
    if (library && editor) library.showProblems(editor, problems);
  }, [library, editor, problems]);

  if (error) return <Problem error={error} />;
  return (
    <div ref={place} className="code-editor">
      {!library && <Waiting title="Editor" />}
    </div>
  );
}

/** Two texts of a flow beside each other, with what differs. */
export function CodeDifference({ before, after, label }: { before: string; after: string; label: string }) {
  const place = useRef<HTMLDivElement>(null);
  const { data, error } = useLibrary();
  const isDark = useIsDark();
  const library = data?.library;
  useEffect(() => {
    if (!library || !place.current) return;
    const created = library.createDiffEditor(place.current, { before, after, label, isDark });
    return () => created.dispose();
  }, [library, before, after, label, isDark]);
  if (error) return <Problem error={error} />;
  return (
    <div ref={place} className="code-editor">
      {!library && <Waiting title="Editor" />}
    </div>
  );
}
