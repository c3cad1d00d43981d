// The main script of the executable: runs the embedded program.
import { compileProgram, type Program, requireLate } from './compiled.ts';

const program: Program = compileProgram().runInThisContext();
program(requireLate(require));
