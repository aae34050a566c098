/** Workflow code that cannot run: a plain Error fails the workflow task, which is tried again for ever. */
export async function calibrationRun(): Promise<void> {
  throw new Error('the code is broken');
}
