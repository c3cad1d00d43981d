// The operator API of a running hub: `POST /` with the name of an operation and its input. It has no authentication,
// so it is served only on a socket that only the owner of the data directory can open.
import Koa from 'koa';
import * as v from 'valibot';
import { invalidInput, notFound } from '../domain/errors.ts';
import { MAX_BODIES_BYTES } from '../domain/limits.ts';
import type { Hub } from '../hub.ts';
import { performAsOperator } from '../operations/operator/operator-operation.ts';
import { OPERATOR_OPERATIONS } from '../operations/operator/operator-operations.ts';
import { openBodies, USUAL_BODY } from './bodies/read-body.ts';
import { answerErrors } from './errors.ts';
import { answerJson } from './json-response.ts';
import { logAbort } from './log-abort.ts';

const request = v.object({ operation: v.string(), input: v.record(v.string(), v.unknown()) });

const OPERATOR = { id: 'operator', max: MAX_BODIES_BYTES, kind: 'authenticated' } as const;

export function createOperatorApi(hub: Hub): Koa {
  const koa = new Koa();
  const bodies = openBodies();
  koa.use(answerErrors(hub));
  koa.use(async (ctx) => {
    const body = await bodies.read(ctx, OPERATOR, USUAL_BODY);
    if ('error' in body) throw body.error;
    const { success, output } = v.safeParse(request, body.value);
    if (!success) throw invalidInput('the body must name an operation and its input');
    const asked = OPERATOR_OPERATIONS.find(({ name }) => name === output.operation);
    if (asked === undefined)
      throw notFound(
        `the running hub is agenthub ${hub.version}, which does not support ${output.operation}; restart it with this version`,
      );
    answerJson(ctx, await performAsOperator(asked, hub, output.input));
  });
  koa.on('error', (error: unknown) => logAbort(hub, error));
  return koa;
}
