import { useQuery } from '@tanstack/react-query';
import { Input, Label, Radio, RadioGroup, Text, TextField } from 'react-aria-components';
import { api, dataOf } from '../api.ts';
import { useProjectId } from '../session.tsx';
import { Problem } from '../ui/feedback.tsx';

/** When a run starts. */
export type When = { kind: 'now' } | { kind: 'cron'; cron: string } | { kind: 'once'; time: string };

const NIGHTLY = '0 2 * * *';

/** Now, once at a time, or again and again. */
export function ScheduleFields({ when, onChange }: { when: When; onChange: (when: When) => void }) {
  return (
    <div className="when">
      <RadioGroup
        orientation="horizontal"
        value={when.kind}
        onChange={(kind) => {
          if (kind === 'cron') onChange({ kind, cron: NIGHTLY });
          else if (kind === 'once') onChange({ kind, time: '' });
          else onChange({ kind: 'now' });
        }}
      >
        <Label>When</Label>
        <Radio value="now">Now</Radio>
        <Radio value="once">Once</Radio>
        <Radio value="cron">Again and again</Radio>
      </RadioGroup>
      {when.kind === 'cron' && (
        <TextField value={when.cron} isRequired onChange={(cron) => onChange({ kind: 'cron', cron })}>
          <Label>Cron</Label>
          <Input />
          <Text slot="description">Minute, hour, day of the month, month, day of the week.</Text>
        </TextField>
      )}
      {when.kind === 'cron' && <DueTimes cron={when.cron} />}
      {when.kind === 'once' && (
        <TextField
          type="datetime-local"
          isRequired
          onChange={(text) =>
            onChange({ kind: 'once', time: text === '' ? '' : new Date(text).toISOString() })
          }
        >
          <Label>Time</Label>
          <Input />
          <Text slot="description">In the zone of this browser.</Text>
        </TextField>
      )}
    </div>
  );
}

/** The next five times of a cron, in the zone of the schedule. */
function DueTimes({ cron }: { cron: string }) {
  const projectId = useProjectId();
  const times = useQuery({
    queryKey: ['due times', projectId, cron],
    queryFn: () => dataOf(api.GET('/flows/schedules/due-times', { params: { query: { cron } } })),
    placeholderData: (previous) => previous,
  });
  if (times.error) return <Problem error={times.error} />;
  if (!times.data) return null;
  const { timezone, due_times } = times.data;
  const format = new Intl.DateTimeFormat('en-GB', {
    dateStyle: 'full',
    timeStyle: 'short',
    timeZone: timezone,
  });
  return (
    <div>
      <p className="muted">Next times, in {timezone}:</p>
      <ol className="plain number">
        {due_times.map((time) => (
          <li key={time}>
            <time dateTime={time}>{format.format(new Date(time))}</time>
          </li>
        ))}
      </ol>
    </div>
  );
}
