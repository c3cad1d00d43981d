// Groups of reads that share one snapshot of what was committed.
import type { Millis } from '../domain/clock.ts';
import { readerOn, type Connection } from './connection.ts';
import type { Reader } from './database.ts';
import { endsTransaction } from './driver-errors.ts';

export type ReadJob = {
  work: (reader: Reader) => Promise<unknown>;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
};

export async function readGroup({ client, statements }: Connection, jobs: readonly ReadJob[], now: Millis, onFatal: (error: unknown) => void): Promise<void> {
  const reader = readerOn(statements, now);
  try {
    const transaction = await client.transaction('deferred');
    for (const job of jobs) await readAlone(reader, job);
    transaction.close();
  } catch (error) {
    for (const job of jobs) job.reject(error);
    onFatal(error);
  }
}

async function readAlone(reader: Reader, { work, resolve, reject }: ReadJob): Promise<void> {
  try {
    resolve(await work(reader));
  } catch (error) {
    if (endsTransaction(error)) throw error;
    reject(error);
  }
}
