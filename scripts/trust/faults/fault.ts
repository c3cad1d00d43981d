// A fault as it is made in good faith, with the row that must catch it and what the row must say.
import type { Row } from '../row.ts';
import type { Change } from '../source-copy.ts';

export type Fault = Change & { name: string; row: Row; says: RegExp };
