import { Button } from 'react-aria-components';

interface PagingProps {
  skip: number;
  /** Entries of a page. */
  page: number;
  /** Number of entries of the whole list, if the service counts them. */
  total?: number;
  /** Whether the list continues. Needed only without a total. */
  hasMore?: boolean;
  onSkip(skip: number): void;
  back?: string;
  on?: string;
}

/** Goes through the pages of a list; nothing for a list of one page. */
export function Paging({
  skip,
  page,
  total,
  hasMore = total !== undefined && skip + page < total,
  onSkip,
  back = 'Back',
  on = 'On',
}: PagingProps) {
  if (skip === 0 && !hasMore) return null;
  return (
    <nav className="buttons" aria-label="Pages of the list">
      <Button isDisabled={skip === 0} onPress={() => onSkip(Math.max(0, skip - page))}>
        {back}
      </Button>
      <Button isDisabled={!hasMore} onPress={() => onSkip(skip + page)}>
        {on}
      </Button>
      {total !== undefined && (
        <span className="muted number">
          {skip + 1} to {Math.min(skip + page, total)} of {total}
        </span>
      )}
    </nav>
  );
}
