// Maps the error of a request to a problem, by Node's error codes.
import type { Problem } from '../domain/notifiers/problems.ts';

export class ProblemError extends Error {
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(problem);
    this.problem = problem;
  }
}

const BY_CODE: Readonly<Record<string, Problem>> = {
  ECONNREFUSED: 'connection_refused',
  ABORT_ERR: 'connection_closed',
  ECONNRESET: 'connection_closed',
  EPIPE: 'connection_closed',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  EADDRNOTAVAIL: 'unreachable',
  ETIMEDOUT: 'unreachable',
  EPROTO: 'protocol',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'certificate',
};

export function problemOf(error: unknown): Problem {
  if (error instanceof ProblemError) return error.problem;
  const code = codeOf(error);
  return BY_CODE[code] ?? byKind(code);
}

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

function byKind(code: string): Problem {
  if (code.includes('CERT')) return 'certificate';
  return code.startsWith('HPE_') || code.startsWith('ERR_SSL') ? 'protocol' : 'failed';
}
