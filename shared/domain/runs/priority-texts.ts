/** What the interface says about the priority of runs, wherever one is given. */

export const priorityMeaning =
  'While a run of lower priority that allows preemption holds the project, a run of this priority uses the chip between its measurements, and is not refused (409 project_busy).';

export const preemptionMeaning =
  'true: runs of higher priority may use the chip between the measurements of this run, which goes on afterwards.';
