/** Name of the backend that is built in: a simulated chip. */
export const SIMULATOR_BACKEND = 'simulator';
