// Faults in access control and request handling: who is let in, who sees what, and what a request costs.
import { earlyResets, permissionChanges, resetBatches } from '../abuse/attacks/connections-and-permissions.ts';
import { burstOfSmallChunks } from '../abuse/attacks/dense-reads.ts';
import { reconnectingReaders } from '../abuse/attacks/heavy-responses.ts';
import { concurrentRenames } from '../abuse/attacks/heavy-work.ts';
import { endlessResponses } from '../abuse/attacks/receivers.ts';
import { removal } from '../abuse/attacks/stored-data.ts';
import { pipelinedByCrowd, refusedBodies, unauthenticatedBodies } from '../abuse/attacks/unread-bodies.ts';
import { crashByRequest } from '../abuse/crash-by-request.ts';
import { descriptors } from '../abuse/descriptors.ts';
import { handshakes } from '../abuse/handshakes.ts';
import { smallContainer } from '../abuse/small-container.ts';
import { smallMemoryUnder } from '../abuse/small-memory.ts';
import { tenantsUnder } from '../abuse/tenants.ts';
import { firstUsers } from '../access/first-users.ts';
import { invites } from '../access/invites.ts';
import { limits } from '../access/limits.ts';
import { secrets } from '../access/secrets.ts';
import { tenantIsolation } from '../access/tenant-isolation.ts';
import type { Fault } from './fault.ts';

export const REQUEST_FAULTS: readonly Fault[] = [
  {
    name: 'the uses of an invite not counted',
    file: 'server/store/invites.ts',
    find: 'SET uses = uses + 1 WHERE',
    put: 'SET uses = uses WHERE',
    row: invites,
    expected: /admitted/,
  },
  {
    name: 'the first user checked outside of the insert',
    file: 'server/store/users.ts',
    find: "CASE WHEN EXISTS (SELECT 1 FROM users) THEN 'user' ELSE 'admin' END",
    put: "CASE WHEN (SELECT count(*) FROM users) > 1 THEN 'user' ELSE 'admin' END",
    row: firstUsers,
    expected: /admins: 2/,
  },
  {
    name: 'one login more than the limit',
    file: 'server/http/limits/rate-limits.ts',
    find: '{ db, max, duration',
    put: '{ db, max: max + 1, duration',
    row: limits,
    expected: /logins rejected: 14/,
  },
  {
    name: 'the query of a request logged',
    file: 'server/http/request-log.ts',
    find: 'route: routeOf(ctx), ip',
    put: 'route: ctx.url, ip',
    row: secrets,
    expected: /ntok_\w+ in log/,
  },
  {
    name: 'the network of a task not checked',
    file: 'server/store/tasks.ts',
    find: 'WHERE t.network_seq = ?1 AND t.task_seq =',
    put: 'WHERE ?1 = ?1 AND t.task_seq =',
    row: tenantIsolation,
    expected: /shown to another tenant/,
  },
  {
    name: 'agents of different networks confused by name',
    file: 'server/events/broker.ts',
    find: '`${networkId} ${alias}`',
    put: 'alias',
    row: tenantIsolation,
    expected: /shown to another tenant/,
  },
  {
    name: 'an invalid path reported as an internal error',
    file: 'server/http/app.ts',
    find: "if (!ctx.url.startsWith('/')) throw invalidInput(",
    put: "if (!ctx.url.startsWith('/')) throw new Error(",
    row: crashByRequest,
    expected: /internal error|request failed/,
  },
  {
    name: 'half a mebibyte leaked per request',
    file: 'server/http/request-log.ts',
    find: 'const start = performance.now();',
    put: 'const start = performance.now(); (globalThis.kept ??= []).push(Buffer.alloc(524_288, 1));',
    row: crashByRequest,
    expected: /memory grows/,
  },
  {
    name: 'all streams closed when one token ends',
    file: 'server/events/revocations.ts',
    find: 'if (token_id !== undefined && token_id !== caller.token_id) return false;',
    put: 'if (token_id !== undefined) return true;',
    row: tenantsUnder([permissionChanges]),
    expected: /a stream was ended|wait_task returned early/,
  },
  {
    name: 'a slot for a stream whose client has left before',
    file: 'server/http/limits/connection-limits.ts',
    find: 'if (isClosed(response)) return undefined;',
    put: '',
    row: tenantsUnder([earlyResets]),
    size: 'quick',
    expected: /streams (that opened after the resets|open in the metrics|left in the metrics)/,
  },
  {
    name: 'a network removed in one portion',
    file: 'server/operations/portion-size.ts',
    find: 'const PORTION_MS = 3;',
    put: 'const PORTION_MS = 30_000;',
    row: tenantsUnder([removal]),
    size: 'quick',
    expected: /the event loop stalled/,
  },
  {
    name: 'no limit to the connections read in one turn',
    file: 'server/serve/listener/read-turns.ts',
    find: 'last = now();',
    put: 'last = 0;',
    row: tenantsUnder([burstOfSmallChunks]),
    size: 'quick',
    expected: /the event loop stalled|p99 of the other tenant/,
  },
  {
    name: 'no limit to the reads of one turn',
    file: 'server/store/engine/reads.ts',
    find: 'const MAX_MS = 4;',
    put: 'const MAX_MS = 4_000;',
    row: tenantsUnder([reconnectingReaders]),
    size: 'quick',
    expected: /the event loop stalled|p99 of the other tenant/,
  },
  {
    name: 'work that does not wait for arriving connections',
    file: 'server/domain/time/turn-share.ts',
    find: 'arrived += 1;',
    put: '',
    row: tenantsUnder([resetBatches]),
    size: 'quick',
    expected: /a new connection waited/,
  },
  {
    name: 'no limit to the responses of a receiver',
    file: 'server/outgoing/outgoing.ts',
    find: 'limitHeaders(sending);',
    put: '',
    row: tenantsUnder([endlessResponses]),
    size: 'quick',
    expected: /the event loop stalled|p99 of the other tenant/,
  },
  {
    name: '200 MiB leaked per request',
    file: 'server/http/request-log.ts',
    find: 'const start = performance.now();',
    put: 'const start = performance.now(); (globalThis.kept ??= []).push(Buffer.alloc(209_715_200, 1));',
    row: smallMemoryUnder([unauthenticatedBodies]),
    expected: /the hub exited with/,
  },
  {
    name: 'closed connections that keep their place in line',
    file: 'server/serve/listener/rotation.ts',
    find: 'lineOf.get(socket)?.remove(socket);',
    put: 'return;',
    row: smallMemoryUnder([pipelinedByCrowd]),
    size: 'quick',
    expected: /the hub exited with/,
  },
  {
    name: 'freed memory that is not given back',
    file: 'server/native/allocator.ts',
    find: 'return () => void malloc_trim(0n);',
    put: 'return () => {};',
    row: smallContainer,
    size: 'quick',
    expected: /the hub exited with/,
  },
  {
    name: 'the rest of a refused body not read',
    file: 'server/serve/listener/listener.ts',
    find: 'return boundBody(request, response, true);',
    put: 'return void request.pause();',
    row: tenantsUnder([refusedBodies]),
    size: 'quick',
    expected: /connections of clients that have left are still open/,
  },
  {
    name: 'new connections begun in rotation of their addresses alone',
    file: 'server/serve/listener/burst.ts',
    find: 'isOldestNext = !isOldestNext;',
    put: '',
    row: handshakes,
    size: 'quick',
    expected: /p99 of the tenant|a new connection waited/,
  },
  {
    name: 'file descriptor exhaustion not detected',
    file: 'server/serve/machine/resource-watch.ts',
    find: 'isLow || isOutOfDescriptors()',
    put: 'false',
    row: descriptors,
    expected: /log lines about it: 0, not 1/,
  },
  {
    name: 'renames of a network at the same time',
    file: 'server/events/renames.ts',
    find: 'const renamed = (last.get(networkId) ?? Promise.resolve()).then(rename);',
    put: 'const renamed = rename();',
    row: tenantsUnder([concurrentRenames]),
    size: 'quick',
    expected: /a rename after the others returned/,
  },
];
