/** The engines that a benchmark uses. */
export interface Engines {
  /** Process ids; 0 for an engine that we did not start. */
  pids: { temporal: number; store: number };
  /** Port of Temporal's metrics; null if we did not start the server. */
  metricsPort: number | null;
}
