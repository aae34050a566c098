/** Maximum number of runs that are remembered as ours and need no further check. */
const MAX_RUNS = 10_000;

/** Ids of runs that need no further check. */
export function rememberedRuns() {
  const runs = new Set<string>();
  return {
    has: (runId: string) => runs.has(runId),
    add(runId: string) {
      if (runs.size >= MAX_RUNS) runs.clear();
      runs.add(runId);
    },
    clear: () => runs.clear(),
  };
}
