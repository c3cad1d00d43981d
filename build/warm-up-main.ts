// The main script of the executable that the build runs once. It runs the program as usual and, on a message from the
// build, returns the code that V8 has compiled so far and the names of the loaded Node modules.
import { setFlagsFromString } from 'node:v8';
import { compileProgram, type Program, requireLate, scriptFor } from '../server/native/compiled.ts';
import { untuneGarbageCollection } from '../server/native/garbage-collection.ts';

/**
 * With these, the code depends on how long the run takes: V8 notes which functions it optimized early, and it discards
 * code that has not run for a while. They are off only meanwhile, because V8 compares the flags when it loads the code.
 */
const TIMED = ['sparkplug', 'maglev', 'turbofan', 'flush-bytecode'];

for (const flag of TIMED) setFlagsFromString(`--no-${flag}`);
const script = compileProgram(scriptFor(process.argv));
const program: Program = script.runInThisContext();
program(requireLate(require));
process.once('message', () => {
  for (const flag of TIMED) setFlagsFromString(`--${flag}`);
  untuneGarbageCollection();
  process.send?.([script.createCachedData(), Reflect.get(process, 'moduleLoadList')], () => process.exit());
});
