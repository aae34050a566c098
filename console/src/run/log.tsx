import type { Schemas } from '../api.ts';
import { shownClock, shownTime } from '../numbers.ts';

/** What the flow logged and recorded, newest last. */
export function Log({ entries }: { entries: readonly Schemas['ExecutionLogEntry'][] }) {
  if (entries.length === 0) return null;
  return (
    <section>
      <h2>Log of the flow</h2>
      <ol className="log">
        {entries.map((entry) => (
          <li key={entry.index}>
            <time dateTime={entry.at} title={shownTime(entry.at)}>
              {shownClock(entry.at)}
            </time>{' '}
            {entry.kind === 'log' ? (
              entry.message
            ) : (
              <>
                <strong>{entry.name}</strong> = {JSON.stringify(entry.value)}
              </>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}
