import { useState } from 'react';
import { Button } from 'react-aria-components';

/** A secret that is shown this one time. */
export function Secret({ title, value, onDone }: { title: string; value: string; onDone(): void }) {
  const [isCopied, setCopied] = useState(false);
  return (
    <section className="secret" aria-label={title} role="status">
      <h2>{title}</h2>
      <p>It is shown only now. Copy it to where it is needed.</p>
      <code>{value}</code>
      <div className="buttons">
        <Button onPress={() => void navigator.clipboard.writeText(value).then(() => setCopied(true))}>
          {isCopied ? 'Copied' : 'Copy'}
        </Button>
        <Button onPress={onDone}>I have kept it</Button>
      </div>
    </section>
  );
}
