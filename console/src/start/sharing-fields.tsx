import { Checkbox } from 'react-aria-components';
import { Choice } from '../ui/choice.tsx';

/** How a run shares the chip with others; as the requests that start and schedule runs name it. */
export interface Sharing {
  priority: number;
  allow_preemption: boolean;
}

/** As the service does where nothing is given. */
export const UNSHARED: Sharing = { priority: 0, allow_preemption: false };

const PRIORITIES = Array.from({ length: 10 }, (_, priority) => ({
  id: String(priority),
  text: priority === 0 ? '0, as usual' : priority === 9 ? '9, most urgent' : String(priority),
}));

/** How urgent a run is, and whether it lets more urgent ones in between. Closed at first, because most runs need neither. */
export function SharingFields({ sharing, onChange }: { sharing: Sharing; onChange(sharing: Sharing): void }) {
  return (
    <details className="sharing">
      <summary>
        When two runs want the chip:{' '}
        <span className="muted">
          priority {sharing.priority}, {sharing.allow_preemption ? 'lets' : 'does not let'} more urgent runs
          in between
        </span>
      </summary>
      <PriorityChoice
        priority={sharing.priority}
        onChange={(priority) => onChange({ ...sharing, priority })}
      />
      <Checkbox
        isSelected={sharing.allow_preemption}
        onChange={(allow_preemption) => onChange({ ...sharing, allow_preemption })}
      >
        <span className="box" aria-hidden="true" />
        Let more urgent runs in between
      </Checkbox>
      <p className="hint">
        A run of higher priority may then measure between two measurements of this one, for a limited part of
        each hour. This run goes on afterwards and measures nothing twice.
      </p>
    </details>
  );
}

/** From 0, as most runs have, to 9. */
export function PriorityChoice({
  priority,
  onChange,
}: {
  priority: number;
  onChange(priority: number): void;
}) {
  return (
    <div>
      <Choice
        label="Priority"
        value={String(priority)}
        options={PRIORITIES}
        onChange={(chosen) => onChange(Number(chosen))}
      />
      <p className="hint">
        While another run uses the chip, a run can start only if its priority is higher and the other run lets
        it in between.
      </p>
    </div>
  );
}
