import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import {
  Autocomplete,
  Button,
  Dialog,
  Input,
  Label,
  Menu,
  MenuItem,
  Modal,
  ModalOverlay,
  SearchField,
  useFilter,
} from 'react-aria-components';
import { api, dataOf, type Schemas } from '../api.ts';
import { tasksByName, useBackendTasks, useChips } from '../chip/chip-data.ts';
import { useProjectId, useSession } from '../session.tsx';
import { isCoupling } from '../targets.ts';

/** Names that are listed at most: a person types until few are left. */
const LISTED = 60;
/** The newest runs of the chip can be found by name. */
const RUNS = 100;

const WANTED = 'Page, chip, qubit, run or task';

interface Command {
  id: string;
  text: string;
  go(): void;
}

/** Goes to a page, a chip, a qubit, a run or a task by name. Ctrl+K or Cmd+K opens it. */
export function Palette({ chip }: { chip: Schemas['Chip'] | undefined }) {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const open = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      setOpen(true);
    };
    addEventListener('keydown', open);
    return () => removeEventListener('keydown', open);
  }, []);
  return (
    <>
      <Button className="quiet" onPress={() => setOpen(true)}>
        Go to … <kbd>Ctrl K</kbd>
      </Button>
      <ModalOverlay className="overlay" isOpen={isOpen} onOpenChange={setOpen} isDismissable>
        <Modal className="palette">
          <Dialog aria-label="Go to">
            <Commands chip={chip} onDone={() => setOpen(false)} />
          </Dialog>
        </Modal>
      </ModalOverlay>
    </>
  );
}

function Commands({ chip, onDone }: { chip: Schemas['Chip'] | undefined; onDone: () => void }) {
  const navigate = useNavigate();
  const { contains } = useFilter({ sensitivity: 'base' });
  const backends = useBackendTasks();
  const chips = useChips();
  const runs = useRuns(chip?.chip_id);
  const { mayWrite } = useSession();
  const { target: at } = useSearch({ strict: false });
  const [typed, setTyped] = useState('');
  const toTarget = (target: string, tab?: string) => () =>
    void navigate({ to: '/', search: { chip: chip?.chip_id, target, tab } });
  const offered = backends.data?.map(({ tasks }) => ({ tasks: tasks.filter(({ enabled }) => enabled) }));
  // The form asks for the backend if several offer a task.
  const tasks = [...tasksByName(offered).values()];
  const commands: Command[] = [
    { id: 'chip', text: 'Chip', go: () => void navigate({ to: '/' }) },
    { id: 'start', text: 'Start a run', go: () => void navigate({ to: '/start' }) },
    { id: 'compare', text: 'Compare', go: () => void navigate({ to: '/compare' }) },
    { id: 'flows', text: 'Flows', go: () => void navigate({ to: '/flows' }) },
    { id: 'results', text: 'Results', go: () => void navigate({ to: '/results' }) },
    { id: 'schedules', text: 'Schedules', go: () => void navigate({ to: '/schedules' }) },
    { id: 'executions', text: 'Executions', go: () => void navigate({ to: '/executions' }) },
    { id: 'agents', text: 'Agents', go: () => void navigate({ to: '/agents' }) },
    { id: 'reviews', text: 'Reviews', go: () => void navigate({ to: '/reviews' }) },
    { id: 'forum', text: 'Forum', go: () => void navigate({ to: '/forum' }) },
    { id: 'inbox', text: 'Inbox', go: () => void navigate({ to: '/inbox' }) },
    { id: 'people', text: 'People', go: () => void navigate({ to: '/people' }) },
    ...(chips.data ?? [])
      .filter(({ chip_id }) => chip_id !== chip?.chip_id)
      .map(({ chip_id }) => ({
        id: `chip ${chip_id}`,
        text: `Chip ${chip_id}`,
        go: () => void navigate({ to: '/', search: ({ project }) => ({ project, chip: chip_id }) }),
      })),
    ...Array.from({ length: chip?.size ?? 0 }, (_, index) => ({
      id: `q${index}`,
      text: `Qubit ${index}`,
      go: toTarget(String(index)),
    })),
    ...(runs.data?.executions ?? []).map(({ execution_id, name }) => ({
      id: `run ${execution_id}`,
      text: `Run ${name.includes(execution_id) ? name : `${name} ${execution_id}`}`,
      go: () =>
        void navigate({
          to: '/execution/$chipId/$executionId',
          params: { chipId: chip?.chip_id ?? '', executionId: execution_id },
        }),
    })),
    // On the qubit that is open, or on the first one. A coupling task needs a coupling that is open.
    ...tasks.flatMap(({ name, task_type }) => {
      const target = task_type === 'coupling' ? at : at === undefined || isCoupling(at) ? '0' : at;
      if (!mayWrite || target === undefined || isCoupling(target) !== (task_type === 'coupling')) return [];
      return [
        {
          id: name,
          text: `Measure ${name} on ${target}`,
          go: () =>
            void navigate({
              to: '/',
              search: (all) => ({ ...all, target, tab: 'measure', parameter: name }),
            }),
        },
      ];
    }),
  ];
  const shown = commands.filter(({ text }) => contains(text, typed)).slice(0, LISTED);
  return (
    <Autocomplete inputValue={typed} onInputChange={setTyped}>
      <SearchField autoFocus aria-label={WANTED}>
        <Label className="unseen">{WANTED}</Label>
        <Input placeholder={WANTED} />
      </SearchField>
      <Menu
        items={shown}
        aria-label="What fits"
        onAction={(key) => {
          commands.find(({ id }) => id === key)?.go();
          onDone();
        }}
        renderEmptyState={() => <p className="muted">Nothing has this name.</p>}
      >
        {({ id, text }) => <MenuItem id={id}>{text}</MenuItem>}
      </Menu>
    </Autocomplete>
  );
}

/** The newest runs of the chip. */
function useRuns(chipId: string | undefined) {
  const projectId = useProjectId();
  return useQuery({
    queryKey: ['executions', projectId, chipId, 'newest'],
    queryFn: () =>
      dataOf(api.GET('/executions', { params: { query: { chip_id: chipId ?? '', limit: RUNS } } })),
    enabled: chipId !== undefined,
  });
}
