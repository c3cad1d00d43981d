// Why a receiver did not accept a notification: a code, which the console translates, and a sentence.

export const PROBLEMS = {
  private_address: 'its host has a private address, and this hub sends only to public ones (see notifier_addresses)',
  no_address: 'its host has no address',
  lookup_failed: 'its host could not be looked up',
  unreachable: 'the receiver is unreachable',
  connection_refused: 'the receiver refused the connection',
  connection_closed: 'the receiver closed the connection without a response',
  timeout: 'the receiver did not respond in time',
  certificate: 'the TLS certificate of the receiver is invalid',
  protocol: 'the receiver did not respond with HTTP or does not use TLS',
  redirect: 'the receiver redirected the request, and redirects are not followed; use the URL that it redirects to',
  status: 'the receiver returned an error',
  access_ended: 'the user no longer has access to the network',
  stopping: 'the hub is shutting down',
  failed: 'the request failed',
} as const;

export type Problem = keyof typeof PROBLEMS;
