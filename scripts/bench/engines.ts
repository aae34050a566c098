/** The engines that a bench started for itself. */
export interface Engines {
  /** Ids of their processes; 0 where another's process is used. */
  pids: { temporal: number; store: number };
  /** Where Temporal tells what it counts; null where another's process is used. */
  metricsPort: number | null;
}
