// `npm run check`: types, formatting, import order and lint, in seconds. With `-- --write`, formatting is corrected.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from '../build/step.ts';
import { checkStyle } from './style.ts';

const types = spawnSync(process.execPath, [join(ROOT, 'node_modules/.bin/tsc')], { cwd: ROOT, stdio: 'inherit' });
const isClean = checkStyle(process.argv.slice(2));
process.exitCode = types.status === 0 && isClean ? 0 : 1;
