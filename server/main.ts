// argv → command; nothing else.
import './cli/no-inspector.ts';
import { runCommand } from './cli/program.ts';

void runCommand(process.argv); // not awaited: the executable runs this as CommonJS, and it ends the process itself
