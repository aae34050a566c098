/** The flow that runs menus. */
export const MENU_FLOW = 'menu';

/** Flows that every project has without saving them. Their names are reserved. */
export const builtInFlows: ReadonlySet<string> = new Set([MENU_FLOW]);
