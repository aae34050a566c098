/** Entry of the updater's bundle: what it serves is no concern of the other workers, and the other way round. */
export { installationLook, systemUpdate } from './system-update.ts';
