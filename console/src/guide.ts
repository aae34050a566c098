/** Address of a page of the guide, which the API serves beside the console. */
export const guidePage = (page: string) => new URL(`../docs/guide/${page}`, document.baseURI).href;
