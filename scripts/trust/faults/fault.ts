// A realistic fault, with the row that must detect it and the complaint it must produce.
import type { Row } from '../row.ts';
import type { Change } from '../source-copy.ts';

export type Fault = Change & { name: string; row: Row; expected: RegExp };
