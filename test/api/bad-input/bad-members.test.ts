// Sends invalid values for every member of every tool and route. Each is rejected by name and stores nothing. The cases
// come from the tool and route tables, so new entries are tested automatically.
import { describe, expect, test } from 'vitest';
import { ROUTES, type Route } from '../../../server/http/routes.ts';
import { TOOLS } from '../../../server/mcp/tools.ts';
import type { AnyOperation } from '../../../server/operations/operation.ts';
import { isObject, type JsonObject, listOf, objectIn, objectOf, textOf } from '../../support/json.ts';
import { checkedHub } from '../../support/process/checked-hub.ts';
import { type Member, membersOf, sampleOf, textOfLength } from '../../support/store/schema-members.ts';

const hub = checkedHub(['--notifier-addresses', 'all']);
/** Nobody listens there. Other hosts would have to be looked up. */
const URL_HERE = 'http://127.0.0.1:9/x';

type Rejection = { error: unknown; message: string };
type Transport = {
  title: string;
  operation: AnyOperation;
  /** The error code for invalid arguments on this transport. */
  refusal: string;
  /** Whether all values arrive as text. */
  isQuery: boolean;
  pathMembers: readonly string[];
  ask(args: JsonObject): Promise<Rejection>;
};

const TRANSPORTS: readonly Transport[] = [
  ...TOOLS.map(({ operation }) => toolTransport(operation)),
  ...ROUTES.filter(([, , operation]) => membersOf(operation).length > 0).map(routeTransport),
];

const UNSTORABLE = { 'U+0000': 'a\0b', 'a high surrogate alone': 'a\ud800b', 'a low surrogate alone': 'a\udc00' };
const WRONG_TYPES: Readonly<Record<Member['kind'], readonly unknown[]>> = {
  text: [7, true, null, [], ['x'], {}],
  number: ['seven', '', true, null, [], {}],
  word: ['no such word', 7, null, [], {}],
  form: ['no such form', '', UNSTORABLE['U+0000'], 7, null, [], {}],
  list: ['x', 7, null, {}, [7], [['x']]],
  flag: ['true', 1, null, [], {}],
};
/** Query values are always text. */
const WRONG_TEXTS: typeof WRONG_TYPES = {
  text: [],
  number: ['seven', ''],
  word: ['no such word', ''],
  form: WRONG_TYPES.form.slice(0, 3),
  list: [],
  flag: [],
};
/**
 * Outside the basic plane: two UTF-16 units and four bytes, but one character. It is a letter, so usernames accept it.
 */
const LETTER = '𠮷';

describe.each(TRANSPORTS)('$title', (transport) => {
  const members = membersOf(transport.operation);
  const texts = members.filter(({ kind }) => kind === 'text');
  const sample: JsonObject = {
    ...sampleOf(transport.operation),
    ...(members.some(isRequiredUrl) && { url: URL_HERE }),
  };
  const expectRefused = async (args: JsonObject, message: string): Promise<void> => {
    expect(await transport.ask(args), JSON.stringify(args).slice(0, 300)).toEqual({
      error: transport.refusal,
      message,
    });
  };

  test.runIf(texts.length > 0)('rejects text that cannot be stored', async () => {
    await hub.storingNothing(async () => {
      for (const { name } of texts) {
        await expectRefused({ ...sample, [name]: UNSTORABLE['U+0000'] }, `${name} must not contain U+0000`);
        // A URL cannot contain a lone surrogate.
        if (transport.isQuery || transport.pathMembers.includes(name)) continue;
        for (const value of [UNSTORABLE['a high surrogate alone'], UNSTORABLE['a low surrogate alone']]) {
          await expectRefused({ ...sample, [name]: value }, `${name} must be well-formed Unicode (no lone surrogates)`);
        }
      }
    });
  });

  test.runIf(texts.length > 0)('accepts text at the length limit and rejects one more character', async () => {
    await hub.storingNothing(async () => {
      for (const member of texts) {
        const { name, most } = member;
        await expectRefused(
          { ...sample, [name]: textOfLength(member, LETTER, most + 1) },
          `${name} must have at most ${most} characters`,
        );
      }
    });
    for (const member of texts) {
      expect(
        (await transport.ask({ ...sample, [member.name]: textOfLength(member, LETTER, member.most) })).message,
      ).not.toMatch(/at most/);
    }
  });

  test('rejects numbers and lists out of range', async () => {
    await hub.storingNothing(async () => {
      for (const { name, kind, least, most, isAbove } of members) {
        if (kind === 'list') {
          await expectRefused(
            { ...sample, [name]: Array(most + 1).fill('x') },
            `${name} must have at most ${most} items`,
          );
        }
        if (kind !== 'number') continue;
        const range = isAbove ? `above ${least}, at most ${most}` : `from ${least} to ${most}`;
        for (const value of [isAbove ? least : least - 1, most + 1]) {
          expect(await transport.ask({ ...sample, [name]: value })).toEqual({
            error: transport.refusal,
            message: expect.stringMatching(new RegExp(`^${name} must be a (whole )?number ${range}$`)),
          });
        }
      }
    });
  });

  test('rejects a wrong type and a missing member by name', async () => {
    await hub.storingNothing(async () => {
      for (const { name, kind, isRequired } of members) {
        if (transport.pathMembers.includes(name)) continue;
        const wrong = transport.isQuery ? WRONG_TEXTS[kind] : WRONG_TYPES[kind];
        for (const value of wrong) {
          const rejection = await transport.ask({ ...sample, [name]: value });
          const message = expect.stringMatching(new RegExp(`^${name}(\\[0\\])? must be `));
          expect(rejection, JSON.stringify(value)).toEqual({ error: transport.refusal, message });
        }
        const { [name]: _, ...others } = sample;
        if (isRequired) await expectRefused(others, `${name} is required`);
      }
    });
  });

  test('ignores unknown members, whatever their names', async () => {
    const unknownMembers = { nonsense: { deep: [1] }, constructor: 'x', toString: 7, hasOwnProperty: null };
    const rejection = await transport.ask({ ...sample, ...unknownMembers });
    expect(rejection.error, rejection.message).not.toBe(transport.refusal);
  });
});

function isRequiredUrl({ name, isRequired }: Member): boolean {
  return name === 'url' && isRequired;
}

function toolTransport(operation: AnyOperation): Transport {
  return {
    title: `the tool ${operation.name}`,
    operation,
    refusal: 'invalid_arguments',
    isQuery: false,
    pathMembers: [],
    ask: async (args) => {
      const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: operation.name, arguments: args } };
      const { status, body } = await hub.ask({
        path: '/mcp',
        headers: json(hub.account().networkToken),
        body: JSON.stringify(call),
      });
      expect(status, JSON.stringify(body)).toBe(200);
      const [content] = listOf(objectOf(body, 'result'), 'content');
      return rejectionIn(objectIn(textOf(content ?? {}, 'text')));
    },
  };
}

function routeTransport([method, path, operation]: Route): Transport {
  const pathMembers = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  const isQuery = method === 'GET' || method === 'DELETE';
  return {
    title: `${method} ${path}`,
    operation,
    refusal: 'invalid_request',
    isQuery,
    pathMembers,
    ask: async (args) => {
      const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(args[name])));
      const others = Object.entries(args).filter(([name]) => !pathMembers.includes(name));
      const token = tokenFor(operation);
      const inQuery = { method, path: `${filled}?${queryOf(others)}`, headers: bearer(token) };
      const inBody = { method, path: filled, headers: json(token), body: JSON.stringify(Object.fromEntries(others)) };
      return rejectionIn((await hub.ask(isQuery ? inQuery : inBody)).body);
    },
  };
}

function queryOf(members: readonly [name: string, value: unknown][]): URLSearchParams {
  return new URLSearchParams(
    members.map(([name, value]) => [name, isObject(value) ? JSON.stringify(value) : String(value)]),
  );
}

function tokenFor({ access }: AnyOperation): string | undefined {
  return access === 'public' ? undefined : access === 'account' ? hub.account().userToken : hub.account().networkToken;
}

function json(token: string | undefined): Record<string, string> {
  return { ...bearer(token), 'Content-Type': 'application/json' };
}

function bearer(token: string | undefined): Record<string, string> {
  return token === undefined ? {} : { Authorization: `Bearer ${token}` };
}

function rejectionIn(body: JsonObject): Rejection {
  return { error: body.error, message: typeof body.message === 'string' ? body.message : '' };
}
