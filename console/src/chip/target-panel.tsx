import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { Button, Tab, TabList, TabPanel, Tabs } from 'react-aria-components';
import type { Parameter } from '../api.ts';
import { useSession } from '../session.tsx';
import { isCoupling } from '../targets.ts';
import { Problem, Waiting } from '../ui/feedback.tsx';
import { Ago, Quantity, QuantityHeader } from '../ui/numbers.tsx';
import { useTarget } from './chip-data.ts';
import { Figures } from './figures.tsx';
import { History } from './history.tsx';
import { HoldingTag, type MaintainedValue, useHoldingOfTarget } from './holding.tsx';
import { Measure } from './measure.tsx';
import { Why } from './why.tsx';

const TABS = ['values', 'history', 'figures', 'why', 'discussion', 'measure'] as const;
const TargetDiscussion = lazy(async () => ({
  default: (await import('../discussion/target-discussion.tsx')).TargetDiscussion,
}));
type TabName = (typeof TABS)[number];
const titles: Readonly<Record<TabName, string>> = {
  values: 'Values',
  history: 'History',
  figures: 'Figures',
  why: 'Why',
  discussion: 'Discussion',
  measure: 'Measure',
};

/** Everything about one qubit or coupling. */
export function TargetPanel({
  chipId,
  target,
  metric,
}: {
  chipId: string;
  target: string;
  /** What colours the chip. Its value is the first that one asks about. */
  metric: string;
}) {
  const { mayWrite } = useSession();
  const search = useSearch({ from: '/' });
  const navigate = useNavigate({ from: '/' });
  const found = useTarget(chipId, target);
  const tab = TABS.find((each) => each === search.tab) ?? 'values';
  const parameters = Object.entries(found.data?.data ?? {}).sort(([one], [other]) =>
    one.localeCompare(other),
  );
  const first = parameters.find(([name]) => name === metric) ?? parameters[0];
  const parameter = parameters.find(([name]) => name === search.parameter)?.[0] ?? first?.[0];
  const show = (next: { tab?: string; parameter?: string; target?: string | undefined }) =>
    void navigate({ search: (now) => ({ ...now, ...next }), replace: true });
  return (
    <>
      <div className="heading">
        <h2>
          {isCoupling(target) ? 'Coupling' : 'Qubit'} {target}
        </h2>
        <Button className="quiet" aria-label="Close" onPress={() => show({ target: undefined })}>
          ✕
        </Button>
      </div>
      {found.error && <Problem error={found.error} />}
      {found.isPending && <Waiting title="Values" />}
      {found.data && (
        <Tabs selectedKey={tab} onSelectionChange={(key) => show({ tab: String(key) })}>
          <TabList aria-label="What to show">
            {TABS.filter((each) => each !== 'measure' || mayWrite).map((each) => (
              <Tab key={each} id={each}>
                {titles[each]}
              </Tab>
            ))}
          </TabList>
          <TabPanel id="values">
            <Values
              {...{ chipId, target }}
              parameters={parameters}
              onOpen={(name) => show({ tab: 'history', parameter: name })}
              note={found.data.note.content}
            />
          </TabPanel>
          <TabPanel id="history">
            <History
              {...{ chipId, target, parameter }}
              parameters={parameters}
              onChoose={(name) => show({ parameter: name })}
            />
          </TabPanel>
          <TabPanel id="figures">
            <Figures chipId={chipId} target={target} />
          </TabPanel>
          <TabPanel id="why">
            <Why
              {...{ chipId, target, parameter }}
              parameters={parameters}
              onChoose={(name) => show({ parameter: name })}
            />
          </TabPanel>
          <TabPanel id="discussion">
            <Suspense fallback={<Waiting title="Discussion" />}>
              <TargetDiscussion chipId={chipId} target={target} />
            </Suspense>
          </TabPanel>
          {mayWrite && (
            <TabPanel id="measure">
              <Measure chipId={chipId} target={target} task={search.parameter} />
            </TabPanel>
          )}
        </Tabs>
      )}
    </>
  );
}

interface ValuesProps {
  chipId: string;
  target: string;
  parameters: readonly [string, Parameter][];
  note: string;
  onOpen(parameter: string): void;
}

function Values({ chipId, target, parameters, note, onOpen }: ValuesProps) {
  const holding = useHoldingOfTarget(chipId, target);
  if (parameters.length === 0) {
    return <p className="muted">No value is known yet. Measure a task on it, or start a run.</p>;
  }
  return (
    <>
      {note !== '' && <p className="note">{note}</p>}
      <table className="values">
        <thead>
          <tr>
            <th scope="col">Parameter</th>
            <QuantityHeader>Value</QuantityHeader>
            <th scope="col">Age</th>
          </tr>
        </thead>
        <tbody>
          {parameters.map(([name, record]) => (
            <tr key={name}>
              <th scope="row">
                {tagOf(holding.data?.get(name))}
                <button
                  type="button"
                  className="link"
                  title={record.description}
                  onClick={() => onOpen(name)}
                >
                  {name}
                </button>
              </th>
              <td className="right">
                {typeof record.value === 'number' ? (
                  <Quantity value={record.value} error={record.error} unit={record.unit} />
                ) : (
                  shownOther(record.value)
                )}
              </td>
              <td className="muted">
                <Ago time={record.calibrated_at} />
                {record.source && <span className="tag">{record.source}</span>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p>
        <Link to="/maintenance" search={(now) => ({ project: now.project, chip: now.chip, target })}>
          What these values depend on
        </Link>
      </p>
    </>
  );
}

function tagOf(value: MaintainedValue | undefined) {
  return value && <HoldingTag value={value} />;
}

function shownOther(value: Parameter['value']): string {
  if (Array.isArray(value)) return `${value.length} numbers`;
  return value === null ? '–' : String(value);
}
