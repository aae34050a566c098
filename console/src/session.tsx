import { useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, use, useEffect, useMemo } from 'react';
import { api, chooseProject, dataOf, isProblem, isSignedOut, type Schemas } from './api.ts';
import { ChangePassword } from './sign-in/change-password.tsx';
import { SignIn } from './sign-in/sign-in.tsx';
import { Problem, Waiting } from './ui/feedback.tsx';

/** Milliseconds between two checks that the session is still valid. */
const POLL_MS = 4000;
const CHANNEL = 'calibron-session';

export type Role = Schemas['Member']['role'];

export interface Session {
  user: Schemas['User'];
  projects: readonly Schemas['Project'][];
  project: Schemas['Project'] | null;
  /** The role of the user in the project; null without one. */
  role: Role | null;
  /** Whether the user may start runs and change data of the project. */
  mayWrite: boolean;
  signOut(): Promise<void>;
}

const SessionContext = createContext<Session | null>(null);

export function useSession(): Session {
  const session = use(SessionContext);
  if (!session) throw new Error('There is no session outside of the gate.');
  return session;
}

/** The project of the page. Pages are shown only when there is one. */
export function useProjectId(): string {
  return useSession().project?.project_id ?? '';
}

/** Shows its children to a user who has signed in, and the sign-in to everyone else, at the same address. */
export function SessionGate({ wanted, children }: { wanted: string | undefined; children: ReactNode }) {
  const client = useQueryClient();
  const me = useQuery({
    queryKey: ['me'],
    queryFn: whoIsThere,
    refetchInterval: POLL_MS,
    refetchIntervalInBackground: true,
  });
  const channel = useMemo(() => new BroadcastChannel(CHANNEL), []);
  useEffect(() => {
    channel.onmessage = () => void client.resetQueries();
    return () => channel.close();
  }, [channel, client]);
  const changed = async () => {
    channel.postMessage('changed');
    await client.resetQueries();
  };
  const isOut = me.data === null;
  const user = me.data ?? undefined;
  const access = useQuery({
    queryKey: ['access', user?.user_id, wanted],
    queryFn: () => accessOf(user?.user_id ?? '', wanted ?? user?.default_project_id ?? undefined),
    enabled: user !== undefined,
  });
  const projectId = access.data?.project?.project_id;
  if (projectId !== undefined) chooseProject(projectId);

  if (isOut) return <SignIn onSignedIn={changed} />;
  if (!user) return me.error ? <Problem error={me.error} /> : <Waiting title="Calibron" />;
  if (isProblem(access.error, 'password_change_required')) {
    return <ChangePassword username={user.username} onChanged={changed} />;
  }
  if (access.error) return <Problem error={access.error} />;
  if (!access.data) return <Waiting title="Projects" />;
  const session: Session = {
    user,
    ...access.data,
    async signOut() {
      await api.POST('/auth/logout');
      await changed();
    },
  };
  return <SessionContext value={session}>{children}</SessionContext>;
}

/** The user of the session; null without one. Null is not an error, so a refetch keeps what the user has typed at the sign-in. */
async function whoIsThere(): Promise<Schemas['User'] | null> {
  try {
    return await dataOf(api.GET('/auth/me'));
  } catch (thrown) {
    if (isSignedOut(thrown)) return null;
    throw thrown;
  }
}

/** The projects of the user, the one of the page and the rights in it. */
async function accessOf(userId: string, wanted: string | undefined) {
  const { projects } = await dataOf(api.GET('/projects'));
  const project =
    projects.find((each) => each.project_id === wanted) ??
    projects.find((each) => each.owner_user_id === userId) ??
    projects[0] ??
    null;
  if (!project) return { projects, project, role: null, mayWrite: false };
  const { members } = await dataOf(
    api.GET('/projects/{project_id}/members', { params: { path: { project_id: project.project_id } } }),
  );
  const role = members.find((each) => each.user_id === userId)?.role ?? null;
  return { projects, project, role, mayWrite: role === 'owner' || role === 'editor' };
}
