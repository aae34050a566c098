import type { ReactNode } from 'react';
import { CalibronProblem, messageOf } from '../api.ts';

/** An error in the service's words, and what can be done. */
export function Problem({ error, retry }: { error: unknown; retry?: () => void }) {
  const status = error instanceof CalibronProblem ? error.status : null;
  return (
    <div className="problem" role="alert">
      <p>{messageOf(error)}</p>
      {retry && (status === null || status >= 500 || status === 429) && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

/** The place of something that is being loaded; appears only when loading takes noticeably long. */
export function Waiting({ title }: { title: string }) {
  return (
    <div className="waiting" role="status">
      {title} …
    </div>
  );
}

/** A page without content yet, with what to do first. */
export function Empty({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}
