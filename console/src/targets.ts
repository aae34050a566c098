/** Whether a target is a coupling such as `3-4`, and not a qubit. */
export const isCoupling = (target: string) => target.includes('-');
