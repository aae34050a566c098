/**
 * Every process of tests ends when the test run does. One that is told to stop ends only itself: tests in its processes would
 * go on, and start programs for as long as they last.
 */
const told = Symbol.for('calibron.ends-with-the-run');

// Read again for each test file.
if (!Reflect.has(process, told)) {
  Reflect.set(process, told, true);
  process.once('disconnect', () => process.exit(1));
}

export {};
