// Derives public ids and cursors from sequence numbers. Sequences count for the whole hub, so the numbers are
// encrypted: two ids reveal neither their order nor how many records lie between them.
import { createCipheriv, createDecipheriv, createHmac, timingSafeEqual } from 'node:crypto';

/**
 * The kind of an id or cursor; an id of one kind is never accepted as another. Clients store ids, so these numbers must
 * not change.
 */
const KINDS = {
  event: 1,
  audit_entry: 2,
  task_event: 3,
  tasks: 16,
  messages: 17,
  completions: 18,
  task_events: 19,
  audit_log: 20,
  nodes: 21,
  users: 22,
  tokens: 23,
  members: 24,
  invites: 25,
  networks: 26,
  sessions: 27,
  notifiers: 28,
  deliveries: 29,
  all_users: 32,
  all_tokens: 33,
  all_networks: 34,
} as const;

export type PublicKind = keyof typeof KINDS;

export type PublicIds = {
  /** 22 characters of base64url. A different `salt` gives a different id for the same number. */
  ofNumber(kind: PublicKind, number: number, salt?: number): string;
  /** Returns undefined unless `ofNumber` created the id for this kind. */
  numberIn(kind: PublicKind, id: string): number | undefined;
  /** Signs a position that is not a number. The text stays readable. */
  ofText(kind: PublicKind, text: string): string;
  textIn(kind: PublicKind, id: string): string | undefined;
};

const BLOCK_BYTES = 16;
const CHECK_AT = 1; // five zero bytes
const SALT_AT = 6;
const NUMBER_AT = 10;
const NUMBER_BYTES = 6;
const MAC_BYTES = 8;

/** `key` is 32 hexadecimal characters. An id is one AES block: kind, check bytes, salt and number. */
export function publicIds(key: string): PublicIds {
  const secret = Buffer.from(key, 'hex');
  // Reused for all ids: without padding, `update` returns each block at once, in one to two microseconds.
  const cipher = createCipheriv('aes-128-ecb', secret, null).setAutoPadding(false);
  const decipher = createDecipheriv('aes-128-ecb', secret, null).setAutoPadding(false);
  const block = Buffer.alloc(BLOCK_BYTES);
  const macOf = (kind: PublicKind, text: Buffer): Buffer =>
    createHmac('sha256', secret).update(Buffer.of(KINDS[kind])).update(text).digest().subarray(0, MAC_BYTES);

  return {
    ofNumber: (kind, number, salt = 0) => {
      block[0] = KINDS[kind];
      block.writeUInt32BE(salt, SALT_AT);
      block.writeUIntBE(number, NUMBER_AT, NUMBER_BYTES);
      return cipher.update(block).toString('base64url');
    },
    numberIn: (kind, id) => {
      const bytes = bytesOf(id);
      if (bytes?.length !== BLOCK_BYTES) return undefined;
      const plain = decipher.update(bytes);
      if (plain[0] !== KINDS[kind] || plain.subarray(CHECK_AT, SALT_AT).some((byte) => byte !== 0)) return undefined;
      return plain.readUIntBE(NUMBER_AT, NUMBER_BYTES);
    },
    ofText: (kind, text) => {
      const bytes = Buffer.from(text);
      return Buffer.concat([macOf(kind, bytes), bytes]).toString('base64url');
    },
    textIn: (kind, id) => {
      const bytes = bytesOf(id);
      if (bytes === undefined || bytes.length < MAC_BYTES) return undefined;
      const text = bytes.subarray(MAC_BYTES);
      return timingSafeEqual(bytes.subarray(0, MAC_BYTES), macOf(kind, text)) ? text.toString() : undefined;
    },
  };
}

/** Returns undefined unless the text is the canonical encoding. */
function bytesOf(id: string): Buffer | undefined {
  const bytes = Buffer.from(id, 'base64url');
  return bytes.toString('base64url') === id ? bytes : undefined;
}
