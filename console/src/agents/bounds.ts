/** Limits such as `from 10 to 100`. */
export function shownBound({
  minimum,
  maximum,
}: {
  minimum?: number | null;
  maximum?: number | null;
}): string {
  const from = minimum == null ? '' : `from ${minimum}`;
  const to = maximum == null ? '' : `to ${maximum}`;
  return [from, to].filter((part) => part !== '').join(' ') || 'without limits';
}
