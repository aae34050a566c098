/**
 * Flags of V8 for test processes and the programs that they start. Several of them share two cores: threads of garbage
 * collection beside the main one wait for a core and take more of it than they save.
 */
export const V8_FLAGS: readonly string[] = ['--single-threaded-gc'];
