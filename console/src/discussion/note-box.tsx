import { useState } from 'react';
import { Button } from 'react-aria-components';
import type { Schemas } from '../api.ts';
import { useSession } from '../session.tsx';
import { Ago } from '../ui/numbers.tsx';
import { Compose } from './compose.tsx';
import { ShownText } from './written.tsx';

/** The note on something, which everyone of the project reads and editors write. */
export function NoteBox({
  note,
  onSave,
}: {
  note: Schemas['Note'] | null | undefined;
  onSave(content: string): Promise<unknown>;
}) {
  const { mayWrite } = useSession();
  const [isChanging, setChanging] = useState(false);
  const content = note?.content ?? '';
  return (
    <section aria-label="Note" className="note-box">
      <h2>Note</h2>
      {isChanging ? (
        <Compose
          label="Note"
          action="Save the note"
          initial={content}
          onSend={async (draft) => {
            await onSave(draft.content);
            setChanging(false);
          }}
          onCancel={() => setChanging(false)}
        />
      ) : (
        <>
          {content === '' ? <p className="muted">There is no note yet.</p> : <ShownText text={content} />}
          {content !== '' && note && (
            <p className="muted">
              {note.updated_by} <Ago time={note.updated_at} />
            </p>
          )}
          {mayWrite && (
            <div className="buttons">
              <Button onPress={() => setChanging(true)}>
                {content === '' ? 'Write a note' : 'Change the note'}
              </Button>
            </div>
          )}
        </>
      )}
    </section>
  );
}
