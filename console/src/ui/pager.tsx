import { Button } from 'react-aria-components';

interface PagerProps {
  skip: number;
  page: number;
  total: number;
  onSkip(skip: number | undefined): void;
}

/** Goes to newer and older items of a list; absent where all of them are shown. */
export function Pager({ skip, page, total, onSkip }: PagerProps) {
  if (total <= page && skip === 0) return null;
  return (
    <nav className="buttons" aria-label="Pages of the list">
      <Button isDisabled={skip === 0} onPress={() => onSkip(Math.max(0, skip - page) || undefined)}>
        Newer
      </Button>
      <Button isDisabled={skip + page >= total} onPress={() => onSkip(skip + page)}>
        Older
      </Button>
      <span className="muted number">
        {skip + 1} to {Math.min(skip + page, total)} of {total}
      </span>
    </nav>
  );
}
