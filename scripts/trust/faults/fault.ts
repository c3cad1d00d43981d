// A realistic fault, with the row that must detect it and the complaint it must produce.
import type { Row, Size } from '../row.ts';
import type { Change } from '../source-copy.ts';

/** In `size`, by default the least. Times are not checked in that. */
export type Fault = Change & { name: string; row: Row; size?: Size; expected: RegExp };
