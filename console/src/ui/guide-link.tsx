import { guidePage } from '../guide.ts';

/** Leads to a page of the guide, in a tab of its own. */
export function GuideLink({ page, children }: { page: string; children: string }) {
  return (
    <a href={guidePage(page)} target="_blank" rel="noreferrer">
      {children}
    </a>
  );
}
