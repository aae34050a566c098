import { setCurrentDetails } from '@temporalio/workflow';

/** Characters of a line, so that a long question leaves the other lines in sight. */
const LONGEST_LINE = 240;

/** The UI cuts off the last line, because it leaves out the margin of the text when it measures it (2.42.1). */
const CUT_OFF = '\n\n\u00a0';

/** Shows lines as the details of this workflow, one below the other. The UI reads them as Markdown. */
export function showDetails(lines: readonly string[]): void {
  const cut = lines.map((line) =>
    line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE - 1)}…` : line,
  );
  // Two blanks at the end of a line break it without the space between paragraphs.
  setCurrentDetails(`${cut.join('  \n')}${CUT_OFF}`);
}
