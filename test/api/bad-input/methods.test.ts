// Method handling for every path: a 405 lists the supported methods in Allow, and each of them works.
import { expect, test } from 'vitest';
import { openApiDocument } from '../../../server/http/documents/openapi.ts';
import { checkedHub } from '../../support/process/checked-hub.ts';

const hub = checkedHub();

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH'];

test.each(Object.keys(openApiDocument('0.0.0-test').paths))(
  '%s supports exactly the methods it lists in Allow',
  async (path) => {
    const statuses = new Map<string, number>();
    const allowed = new Set<string>();
    for (const method of METHODS) {
      const { status, headers } = await hub.ask({ method, path: path.replaceAll(/\{\w+\}/g, 'x') });
      statuses.set(method, status);
      if (status === 405) allowed.add(headers.allow ?? 'nothing');
    }
    const taken = METHODS.filter((method) => statuses.get(method) !== 405);
    expect(taken).not.toEqual([]);
    expect([...allowed].map((list) => list.split(', ').sort())).toEqual([taken.sort()]);
  },
);
