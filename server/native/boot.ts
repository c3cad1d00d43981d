// The main script of the executable: runs the program inside it.
import { compileProgram, type Program, requireLate } from './compiled.ts';

const program: Program = compileProgram().runInThisContext();
program(requireLate(require));
