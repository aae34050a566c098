import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from 'react-aria-components';
import { Quantity } from '../ui/numbers.tsx';
import type { Change } from './changes.ts';
import { shownStandardErrors } from './standard-errors.ts';

/** Rows that are drawn until a person asks for more. */
const STEP = 100;

/** Every change with both values, the largest first. */
export function ChangeTable({ changes }: { changes: readonly Change[] }) {
  const [limit, setLimit] = useState(STEP);
  return (
    <>
      <table className="list">
        <thead>
          <tr>
            <th scope="col">Target</th>
            <th scope="col">Parameter</th>
            <th scope="col" className="right">
              Before
            </th>
            <th scope="col" className="right">
              After
            </th>
            <th scope="col">Unit</th>
            <th scope="col" className="right" title="The difference, divided by its standard error">
              Standard errors
            </th>
          </tr>
        </thead>
        <tbody>
          {changes.slice(0, limit).map((change) => (
            <tr key={`${change.parameter} ${change.target}`}>
              <th scope="row" className="number">
                <Link
                  to="/"
                  search={(now) => ({
                    project: now.project,
                    chip: now.chip,
                    target: change.target,
                    tab: 'history',
                    parameter: change.parameter,
                  })}
                >
                  {change.target}
                </Link>
              </th>
              <td title={change.parameter}>{change.title}</td>
              <Side value={change.before} error={change.errorBefore} />
              <Side value={change.after} error={change.errorAfter} />
              <td className="muted">{change.unit}</td>
              <td className="right number">
                {change.standardErrors === null ? (
                  <span className="muted">–</span>
                ) : (
                  shownStandardErrors(change.standardErrors)
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {changes.length > limit && (
        <div className="buttons">
          <Button onPress={() => setLimit(limit + STEP)}>Show more</Button>
          <span className="muted number">
            {limit} of {changes.length}
          </span>
        </div>
      )}
    </>
  );
}

function Side({ value, error }: { value: Change['before']; error: number | null }) {
  return (
    <td className="right">
      {typeof value === 'number' ? (
        <Quantity value={value} error={error} unit="" />
      ) : (
        <span className="muted">{value ?? 'none'}</span>
      )}
    </td>
  );
}
