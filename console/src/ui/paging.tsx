import { Button } from 'react-aria-components';

/** Goes through the pages of a list; nothing for a list of one page. */
export function Paging({
  skip,
  page,
  hasMore,
  onSkip,
  back = 'Back',
  on = 'On',
}: {
  skip: number;
  page: number;
  hasMore: boolean;
  onSkip(skip: number): void;
  back?: string;
  on?: string;
}) {
  if (skip === 0 && !hasMore) return null;
  return (
    <nav className="buttons" aria-label="Pages of the list">
      <Button isDisabled={skip === 0} onPress={() => onSkip(Math.max(0, skip - page))}>
        {back}
      </Button>
      <Button isDisabled={!hasMore} onPress={() => onSkip(skip + page)}>
        {on}
      </Button>
    </nav>
  );
}
