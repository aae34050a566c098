/** The flow that runs menus. */
export const MENU_FLOW = 'menu';

/** Flows that every project has without saving them, by name; nobody may save another one under these names. */
export const builtInFlows: ReadonlySet<string> = new Set([MENU_FLOW]);
