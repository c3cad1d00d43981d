// The main script of the executable: runs the embedded program.
import { compileProgram, type Program, requireLate, scriptFor } from './compiled.ts';

const program: Program = compileProgram(scriptFor(process.argv)).runInThisContext();
program(requireLate(require));
