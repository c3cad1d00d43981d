// argv → command; nothing else.
import './cli/no-inspector.ts';
import { runCommand } from './cli/program.ts';

await runCommand(process.argv);
