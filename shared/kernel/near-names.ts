/** Maximum length of a name that is compared with others and shown in a message. */
const LONGEST_NAME = 100;
/** Maximum number of names to compare with. */
const MAX_COMPARED = 500;

/** Fewest letters of a first word that say which name is meant. */
const FIRST_WORD = 3;

/** The known name that `name` is the first word of, or that it is probably a misspelling of, if one is close enough. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  if (name.length > LONGEST_NAME) return undefined;
  const begun = known.slice(0, MAX_COMPARED).filter((each) => each.startsWith(`${name}_`));
  if (name.length >= FIRST_WORD && begun.length > 0) {
    return begun.reduce((shortest, each) => (each.length < shortest.length ? each : shortest));
  }
  const allowed = Math.max(2, Math.floor(name.length / 3));
  let best: { candidate: string; edits: number } | undefined;
  for (const candidate of known.slice(0, MAX_COMPARED)) {
    if (Math.abs(candidate.length - name.length) > allowed) continue;
    const edits = changesBetween(name.toLowerCase(), candidate.toLowerCase());
    if (edits <= allowed && (best === undefined || edits < best.edits)) best = { candidate, edits };
  }
  return best?.candidate;
}

/** `unknown task "CheckRaby"; did you mean "CheckRabi"?` */
export function unknownTask(name: string, knownTasks: readonly string[]): string {
  const nearest = nearestName(name, knownTasks);
  const shown = name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name;
  return `unknown task "${shown}"${nearest === undefined ? '' : `; did you mean "${nearest}"?`}`;
}

/** Levenshtein distance: insertions, deletions and replacements between two words. */
export function changesBetween(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let i = 0; i < from.length; i += 1) {
    const next = [i + 1];
    for (let j = 0; j < to.length; j += 1) {
      const replaced = (row[j] ?? 0) + (from[i] === to[j] ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
