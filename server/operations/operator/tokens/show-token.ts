// token show: shows one token, without its secret.
import * as v from 'valibot';
import * as fields from '../../../domain/fields.ts';
import { namedToken } from '../named.ts';
import { operatorOperation } from '../operator-operation.ts';
import { tokenLine } from './list-tokens.ts';

export const showToken = operatorOperation({
  name: 'token show',
  input: v.object({ token_id: fields.name }),
  run: (hub, { token_id }) =>
    hub.store.read(async (reader) => ({ ok: true, token: tokenLine(await namedToken(reader, token_id), reader.now) })),
});
