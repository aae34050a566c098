import { Link, Outlet, useMatchRoute, useNavigate, useSearch } from '@tanstack/react-router';
import { useDeferredValue, useEffect } from 'react';
import { Button, Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components';
import { useChips } from './chip/chip-data.ts';
import { NewChip } from './chip/new-chip.tsx';
import { useUnread } from './discussion/inbox.ts';
import { guidePage } from './guide.ts';
import { useLock } from './run/lock.ts';
import { useSession } from './session.tsx';
import { switchTheme } from './theme.ts';
import { Choice } from './ui/choice.tsx';
import { Empty, Problem, Waiting } from './ui/feedback.tsx';
import { Palette } from './ui/palette.tsx';

/** The frame of every page: navigation, the current run and the user. */
export function Shell() {
  const { user, projects, project, signOut } = useSession();
  const navigate = useNavigate();
  const chips = useChips();
  const { chip, project: wanted } = useSearch({ from: '__root__' });
  const chosen = chips.data?.find((each) => each.chip_id === chip) ?? chips.data?.[0];
  // The frame is drawn first. The page in it is drawn in slices, so that the frame stays responsive.
  const isFramed = useDeferredValue(true, false);
  useEffect(() => {
    document.title = chosen ? `${chosen.chip_id} – Calibron` : 'Calibron';
  }, [chosen]);
  return (
    <>
      <header className="bar">
        <Link to="/" className="brand">
          Calibron
        </Link>
        <nav aria-label="Pages">
          <Link to="/" activeOptions={{ exact: true, includeSearch: false }}>
            Chip
          </Link>
          <Link to="/start">Start</Link>
          <Link to="/flows">Flows</Link>
          <Link to="/executions">Executions</Link>
          <Link to="/results">Results</Link>
          <Link to="/compare">Compare</Link>
          <Link to="/schedules">Schedules</Link>
          <Link to="/reviews">Reviews</Link>
          <Link to="/agents">Agents</Link>
          <Link to="/forum">Forum</Link>
          <Link to="/people">People</Link>
        </nav>
        <span className="spring" />
        {chosen && <Running />}
        <Palette chip={chosen} />
        {chips.data && chips.data.length > 1 && chosen && (
          <Choice
            label="Chip"
            isLabelHidden
            value={chosen.chip_id}
            options={chips.data.map((each) => ({ id: each.chip_id, text: each.chip_id }))}
            onChange={(id) =>
              void navigate({ to: '.', search: (all) => ({ ...all, chip: id, target: undefined }) })
            }
          />
        )}
        {projects.length > 1 && project && (
          <Choice
            label="Project"
            isLabelHidden
            value={project.project_id}
            options={projects.map((each) => ({ id: each.project_id, text: each.name }))}
            onChange={(id) => void navigate({ to: '/', search: { project: id, chip: undefined } })}
          />
        )}
        {project && <InboxLink />}
        <MenuTrigger>
          <Button className="quiet user">
            {user.display_name || user.username} <span aria-hidden="true">▾</span>
          </Button>
          <Popover placement="bottom end">
            <Menu
              onAction={(key) => {
                if (key === 'out') void signOut();
                else if (key === 'theme') switchTheme();
              }}
            >
              <MenuItem id="guide" href={guidePage('')} target="_blank" rel="noreferrer">
                Guide
              </MenuItem>
              <MenuItem id="theme">Light or dark</MenuItem>
              <MenuItem id="out">Sign out</MenuItem>
            </Menu>
          </Popover>
        </MenuTrigger>
      </header>
      {user.must_change_password && (
        <p className="warning notice">
          Your password is a temporary one.{' '}
          <Link to="/people" search={{ section: 'account' }}>
            Change your temporary password
          </Link>
        </p>
      )}
      {project && wanted !== undefined && wanted !== project.project_id && (
        <p className="warning notice" role="status">
          This address names a project that does not exist or that you are not a member of. Shown is{' '}
          {project.name}.
        </p>
      )}
      {chosen && chip !== undefined && chip !== chosen.chip_id && (
        <p className="warning notice" role="status">
          This project has no chip {chip} in use. Pages about a chip show {chosen.chip_id}.
        </p>
      )}
      {isFramed && (
        <Content isReady={chips.data !== undefined} error={chips.error} hasChip={chosen !== undefined} />
      )}
    </>
  );
}

/** Link to the inbox, with the number of unread notifications. */
function InboxLink() {
  const unread = useUnread();
  return (
    <Link to="/inbox" aria-label={unread === 0 ? 'Inbox' : `Inbox, ${unread} not read`}>
      Inbox {unread > 0 && <span className="count">{unread}</span>}
    </Link>
  );
}

function Content({ isReady, error, hasChip }: { isReady: boolean; error: unknown; hasChip: boolean }) {
  const { project, mayWrite } = useSession();
  const matches = useMatchRoute();
  // Projects and people come before the first project, and discussions before the first chip.
  if (matches({ to: '/people' })) return <Outlet />;
  if (!project) {
    return (
      <Empty title="You are not in a project yet">
        <p>
          Ask the owner of a project to make you a member, or{' '}
          <Link to="/people" search={{ section: 'projects' }}>
            create one
          </Link>
          .
        </p>
      </Empty>
    );
  }
  if (matches({ to: '/forum', fuzzy: true }) || matches({ to: '/inbox' })) return <Outlet />;
  if (error) return <Problem error={error} />;
  if (!isReady) return <Waiting title="Chips" />;
  if (!hasChip) {
    return mayWrite ? (
      <main className="page">
        <h1>There is no chip yet</h1>
        <NewChip />
      </main>
    ) : (
      <Empty title="There is no chip yet">
        <p>Ask the owner or an editor of the project to add one.</p>
      </Empty>
    );
  }
  return <Outlet />;
}

/** The run that holds the project, as a link to it. */
function Running() {
  const { data } = useLock();
  if (!data?.lock || !data.execution_id || !data.chip_id) return null;
  return (
    <Link
      className="running"
      title={`${data.name ?? data.execution_id} is running`}
      to="/execution/$chipId/$executionId"
      params={{ chipId: data.chip_id, executionId: data.execution_id }}
    >
      <span className="pulse" aria-hidden="true" />
      <span className="name">{data.name ?? data.execution_id} is running</span>
    </Link>
  );
}
