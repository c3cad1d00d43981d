// The main script of the executable: runs the program inside it.
import { compileProgram, requireLate, type Program } from './compiled.ts';

const program: Program = compileProgram().runInThisContext();
program(requireLate(require));
