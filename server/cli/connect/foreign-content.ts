/** The file has something of a person in the place where `connect` writes. The message says what to do. */
export class ForeignContentError extends Error {}

/** Why an item stays that an earlier version may have written. */
export const UNRECORDED = 'which may be your own';
