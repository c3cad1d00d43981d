// The worker thread that hashes passwords: bcrypt takes a quarter of a second of CPU time, which would block every
// request. It hashes a password with a salt or, given a cost, with a new salt of that cost.
import { createHmac } from 'node:crypto';
import { parentPort } from 'node:worker_threads';
import { hashSync } from 'bcryptjs';

export type Question = { id: number; password: string; salt: string | number };
export type Answer = { id: number; hash: string };

parentPort?.on('message', ({ id, password, salt }: Question) => {
  const answer: Answer = { id, hash: hashSync(condense(password), salt) };
  parentPort?.postMessage(answer);
});

/** bcrypt reads only 72 bytes, which is 24 Chinese characters; it gets 44 bytes that depend on the whole password. */
function condense(password: string): string {
  return createHmac('sha256', 'agenthub password').update(password).digest('base64');
}
