import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import { Button, Form } from 'react-aria-components';
import { api, dataOf } from '../api.ts';
import { useProjectId } from '../session.tsx';
import { Opens } from '../ui/ask.tsx';
import { Choice } from '../ui/choice.tsx';
import { Empty, Problem, Waiting } from '../ui/feedback.tsx';
import { Field } from '../ui/field.tsx';
import { Paging } from '../ui/paging.tsx';
import { NewThread, useCategories } from './new-thread.tsx';
import { ThreadList } from './threads.tsx';
import './discussion.css';

const PAGE = 30;
const POLL_MS = 15_000;
const EVERY = 'every';
const STATUSES = [
  { id: 'open', text: 'open' },
  { id: 'investigating', text: 'investigating' },
  { id: 'identified', text: 'identified' },
  { id: 'resolved', text: 'resolved' },
  { id: 'all', text: 'all' },
] as const;

/** The threads of the project, newest first. */
export function ForumPage() {
  const projectId = useProjectId();
  const search = useSearch({ from: '/forum' });
  const navigate = useNavigate({ from: '/forum' });
  const categories = useCategories();
  const status = STATUSES.find(({ id }) => id === search.status)?.id ?? 'open';
  const { category, words, skip = 0 } = search;
  const threads = useQuery({
    queryKey: ['threads', projectId, status, category, words, skip],
    queryFn: () =>
      dataOf(
        api.GET('/forum/posts', {
          params: {
            query: { status, ...(category && { category }), ...(words && { q: words }), skip, limit: PAGE },
          },
        }),
      ),
    refetchInterval: POLL_MS,
    placeholderData: (previous) => previous,
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const asked = String(new FormData(event.currentTarget).get('words') ?? '').trim();
    void navigate({ search: (now) => ({ ...now, words: asked || undefined, skip: undefined }) });
  };
  return (
    <main className="page">
      <div className="controls">
        <h1>Forum</h1>
        <Choice
          label="Status"
          value={status}
          options={STATUSES}
          onChange={(id) => void navigate({ search: (now) => ({ ...now, status: id, skip: undefined }) })}
        />
        <Choice
          label="Filed under"
          value={category ?? EVERY}
          options={[
            { id: EVERY, text: 'everything' },
            ...(categories.data ?? []).map(({ key, name }) => ({ id: key, text: name })),
          ]}
          onChange={(id) =>
            void navigate({
              search: (now) => ({ ...now, category: id === EVERY ? undefined : id, skip: undefined }),
            })
          }
        />
        <Form className="search" role="search" onSubmit={submit} key={words}>
          <Field
            name="words"
            label="Words or #number"
            isLabelHidden
            placeholder="Words or #number"
            defaultValue={words ?? ''}
          />
          <Button type="submit">Find</Button>
        </Form>
        <span className="spring" />
        <Opens text="Begin a thread" title="Begin a thread" isPrimary>
          {(close) => (
            <NewThread
              onDone={async ({ id }) => {
                close();
                await navigate({ to: '/forum/$postId', params: { postId: id } });
              }}
            />
          )}
        </Opens>
      </div>
      {threads.error && <Problem error={threads.error} />}
      {threads.isPending && <Waiting title="Threads" />}
      {threads.data?.posts.length === 0 && (
        <Empty
          title={words || category || status !== 'open' ? 'No thread is like that' : 'No thread is open'}
        >
          <p>Start one to ask a question or to share something. A name after an @ notifies a member.</p>
        </Empty>
      )}
      {threads.data && <ThreadList threads={threads.data.posts} />}
      {threads.data && (
        <Paging
          {...{ skip }}
          page={PAGE}
          total={threads.data.total}
          back="Newer"
          on="Older"
          onSkip={(next) => void navigate({ search: (now) => ({ ...now, skip: next || undefined }) })}
        />
      )}
    </main>
  );
}
