import { type ReactNode, useState } from 'react';
import { Button } from 'react-aria-components';
import { Confirm } from '../ui/ask.tsx';
import { Ago } from '../ui/numbers.tsx';
import { Compose } from './compose.tsx';

const MENTIONS = /((?<![\p{L}\p{N}_.-])@[A-Za-z0-9_.-]+)/gu;

/** A text as it was written, with its mentions marked. */
export function ShownText({ text }: { text: string }) {
  return (
    <p className="written-text">
      {text.split(MENTIONS).map((part, index) => {
        const key = `${index} ${part}`;
        return part.startsWith('@') ? (
          <strong key={key} className="mention">
            {part}
          </strong>
        ) : (
          <span key={key}>{part}</span>
        );
      })}
    </p>
  );
}

interface WrittenProps {
  author: string;
  at: string | null;
  text: string;
  isOfModel?: boolean;
  /** Only its author changes or deletes a text; absent for other users. */
  onChange?: ((content: string) => Promise<unknown>) | undefined;
  onDelete?: (() => Promise<unknown>) | undefined;
  children?: ReactNode;
}

/** A text with its author: a comment, a reply, an issue or a post. */
export function Written({ author, at, text, isOfModel, onChange, onDelete, children }: WrittenProps) {
  const [isChanging, setChanging] = useState(false);
  return (
    <article className="written">
      <p className="muted">
        <strong>{author}</strong>
        {isOfModel && <span className="tag">language model</span>} <Ago time={at} />
      </p>
      {isChanging && onChange ? (
        <Compose
          label="Text"
          action="Save"
          initial={text}
          onSend={async ({ content }) => {
            await onChange(content);
            setChanging(false);
          }}
          onCancel={() => setChanging(false)}
        />
      ) : (
        <>
          <ShownText text={text} />
          {(onChange || onDelete || children) && (
            <div className="buttons">
              {children}
              {onChange && (
                <Button className="quiet" onPress={() => setChanging(true)}>
                  Change
                </Button>
              )}
              {onDelete && (
                <Confirm text="Delete" question="Delete this text?" onConfirm={onDelete}>
                  <p>Replies to it are deleted too.</p>
                </Confirm>
              )}
            </div>
          )}
        </>
      )}
    </article>
  );
}
