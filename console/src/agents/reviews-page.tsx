import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Button } from 'react-aria-components';
import { api, dataOf, type Schemas } from '../api.ts';
import { useChip } from '../chip/chip-data.ts';
import { ResultFigures } from '../run/result.tsx';
import { useProjectId, useSession } from '../session.tsx';
import { Choice } from '../ui/choice.tsx';
import { Empty, Problem, Waiting } from '../ui/feedback.tsx';
import { Ago } from '../ui/numbers.tsx';
import { Paging } from '../ui/paging.tsx';
import { RequestReviews } from './request-reviews.tsx';
import './agents.css';

const PAGE = 10;
const POLL_MS = 5000;
const ALL = 'all';

/** The reviews of the newest results of the chip, with the figures. A person accepts or excludes each result. */
export function ReviewsPage() {
  const chip = useChip();
  const projectId = useProjectId();
  const search = useSearch({ from: '/reviews' });
  const navigate = useNavigate({ from: '/reviews' });
  const { mayWrite } = useSession();
  const { decision, skip = 0 } = search;
  const reviews = useQuery({
    queryKey: ['reviews', projectId, chip?.chip_id, decision, skip],
    queryFn: () =>
      dataOf(
        api.GET('/task-results/ai-review', {
          params: {
            query: {
              chip_id: chip?.chip_id ?? '',
              ...(decision && { decision }),
              latest_only: true,
              skip,
              limit: PAGE,
            },
          },
        }),
      ),
    enabled: chip !== undefined,
    refetchInterval: POLL_MS,
    placeholderData: (previous) => previous,
  });
  if (reviews.error) return <Problem error={reviews.error} />;
  if (!reviews.data) return <Waiting title="Reviews" />;
  const { items, total, decision_counts } = reviews.data;
  const decisions = Object.entries(decision_counts).filter(([name]) => name !== '');
  return (
    <main className="page">
      <div className="controls">
        <h1>Reviews of {chip?.chip_id}</h1>
        <Choice
          label="Decision"
          value={decision ?? ALL}
          options={[
            { id: ALL, text: 'all' },
            ...decisions.map(([id, count]) => ({ id, text: `${id} (${count})` })),
          ]}
          onChange={(id) =>
            void navigate({
              search: (now) => ({ ...now, decision: id === ALL ? undefined : id, skip: undefined }),
            })
          }
        />
        <span className="muted">{total} in all</span>
      </div>
      {chip && <RequestReviews chipId={chip.chip_id} />}
      {items.length === 0 && (
        <Empty title={decision ? 'No review came to that' : 'Nothing was reviewed yet'}>
          <p>
            A review looks at the figure and the fit of a result and says whether to trust it.{' '}
            {mayWrite
              ? 'Measure one of the tasks above, then have its newest results reviewed.'
              : 'Owners and editors of the project can ask for reviews.'}
          </p>
        </Empty>
      )}
      {items.map((review) => (
        <Review key={review.task_id} review={review} />
      ))}
      <Paging
        {...{ skip }}
        page={PAGE}
        total={total}
        back="Newer"
        on="Older"
        onSkip={(next) => void navigate({ search: (now) => ({ ...now, skip: next || undefined }) })}
      />
    </main>
  );
}

function Review({ review }: { review: Schemas['AiReview'] }) {
  const { mayWrite } = useSession();
  const projectId = useProjectId();
  const client = useQueryClient();
  const deciding = useMutation({
    mutationFn: (excluded: boolean) =>
      dataOf(
        api.POST('/task-results/{task_id}/exclude', {
          params: { path: { task_id: review.task_id } },
          body: { excluded, reason: excluded ? `After the review: ${review.decision}` : null },
        }),
      ),
    onSettled: () => client.invalidateQueries({ queryKey: ['reviews', projectId] }),
  });
  const name = `${review.task_name} on ${review.qid}`;
  return (
    <article className="review" aria-label={`Review of ${name}`}>
      <div className="review-words">
        <h2>
          <Link
            to="/task-results/$taskId"
            params={{ taskId: review.task_id }}
            search={(now) => ({ project: now.project, chip: now.chip })}
          >
            {name}
          </Link>
        </h2>
        <p>
          <span className="status">{review.decision || review.review_status}</span>
          {review.held_back && <span className="tag">held back</span>}{' '}
          <span className="muted">
            by {review.model}, <Ago time={review.completed_at ?? review.requested_at} />
          </span>
        </p>
        {review.primary_reason && <p>{review.primary_reason}</p>}
        {review.error && <p className="gate-message">{review.error}</p>}
        {review.recommended_action && <p className="muted">Recommended: {review.recommended_action}</p>}
        {review.review_markdown && (
          <details>
            <summary>The whole verdict</summary>
            <p className="verdict">{review.review_markdown}</p>
          </details>
        )}
        {mayWrite && review.review_status === 'completed' && (
          <div className="buttons">
            <Button
              className={review.held_back ? 'primary' : ''}
              aria-label={`Accept ${name}`}
              isPending={deciding.isPending}
              onPress={() => deciding.mutate(false)}
            >
              Accept
            </Button>
            <Button
              aria-label={`Hold ${name}`}
              isPending={deciding.isPending}
              onPress={() => deciding.mutate(true)}
            >
              Hold
            </Button>
            <span className="muted">Metrics leave out what is held.</span>
          </div>
        )}
        {deciding.error && <Problem error={deciding.error} />}
        {deciding.data && (
          <p className="success" role="status">
            {deciding.data.excluded ? 'Held: metrics leave it out.' : 'Accepted: metrics count it.'}
          </p>
        )}
      </div>
      <div>
        <ResultFigures taskId={review.task_id} />
      </div>
    </article>
  );
}
