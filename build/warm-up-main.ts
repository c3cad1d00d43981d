// The main script of the executable that the build runs once. It runs the program as usual and, on a message from the
// build, returns the code that V8 has compiled so far and the names of the loaded Node modules.
import { compileProgram, type Program, requireLate } from '../server/native/compiled.ts';

const script = compileProgram();
const program: Program = script.runInThisContext();
program(requireLate(require));
process.once('message', () =>
  process.send?.([script.createCachedData(), Reflect.get(process, 'moduleLoadList')], () => process.exit()),
);
