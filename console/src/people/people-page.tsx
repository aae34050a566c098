import { Link, useSearch } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { useSession } from '../session.tsx';
import { Account } from './account.tsx';
import { Audit } from './audit.tsx';
import { Backends } from './backends.tsx';
import { Deployments } from './deployments.tsx';
import { Members } from './members.tsx';
import { Projects } from './projects.tsx';
import { Tokens } from './tokens.tsx';
import { Updates } from './updates.tsx';
import { Users } from './users.tsx';
import './people.css';

interface Section {
  id: string;
  title: string;
  content: ComponentType;
  /** Shown only to a member of a project. */
  isOfProject?: boolean;
  /** Shown only to administrators of the installation. */
  isOfAdministrators?: boolean;
}

const SECTIONS: readonly Section[] = [
  { id: 'members', title: 'Members', content: Members, isOfProject: true },
  { id: 'projects', title: 'Projects', content: Projects },
  { id: 'account', title: 'Your sign-in', content: Account },
  { id: 'tokens', title: 'Your tokens', content: Tokens },
  { id: 'backends', title: 'Backends', content: Backends, isOfProject: true },
  { id: 'users', title: 'Users', content: Users, isOfAdministrators: true },
  { id: 'audit', title: 'Audit trail', content: Audit, isOfAdministrators: true },
  { id: 'deployments', title: 'Deployments', content: Deployments, isOfAdministrators: true },
  { id: 'updates', title: 'System updates', content: Updates, isOfAdministrators: true },
];

/** Who may do what, with which programs, on which instruments. */
export function PeoplePage() {
  const { user, project } = useSession();
  const search = useSearch({ from: '/people' });
  const shown = SECTIONS.filter(
    ({ isOfProject, isOfAdministrators }) =>
      (!isOfProject || project) && (!isOfAdministrators || user.system_role === 'admin'),
  );
  const section = shown.find(({ id }) => id === search.section) ?? shown[0];
  if (!section) return null;
  const Content = section.content;
  return (
    <main className="people-page">
      <nav aria-label="People" className="choices">
        {shown.map(({ id, title }) => (
          <Link
            key={id}
            to="/people"
            search={(now) => ({ project: now.project, chip: now.chip, section: id })}
            aria-current={id === section.id ? 'page' : undefined}
          >
            {title}
          </Link>
        ))}
      </nav>
      <section aria-label={section.title} className="people-section">
        <Content key={section.id} />
      </section>
    </main>
  );
}
