/** Entry point of the updater's bundle, which is separate from that of the other workers. */
export { installationLook, systemUpdate } from './system-update.ts';
