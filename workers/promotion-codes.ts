/** Exit codes of the check before a promotion, for a script or a start that makes it. */

/** Open runs would wait for a planned task or run parameter that the release lacks. */
export const WOULD_WAIT = 2;
/** The workflow code does not match open runs, which would stand still. */
export const DOES_NOT_MATCH = 3;
