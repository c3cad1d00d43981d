// The endpoints of notifiers. Their receiver is a port of this machine where nobody listens.
import * as v from 'valibot';
import { PROBLEMS } from '../../../../server/domain/notifiers/problems.ts';
import { textOf } from '../../../support/json.ts';
import type { Fixture, TestNetwork, User } from '../fixture.ts';
import { anyText, flag, form, oneOf, type Rule, type Rules, required, text, whole } from '../members.ts';
import * as shapes from '../shapes.ts';
import { list, ok, timestamp } from '../shapes.ts';
import { type Call, type EndpointRows, page } from './endpoint-row.ts';

const NOBODY = 'http://127.0.0.1:9/';
const FORMATS = ['webhook', 'ntfy', 'slack', 'discord', 'teams'];
const TRIGGERS = ['waiting_input', 'blocked', 'error', 'message', 'failed', 'unfetched', 'expiring'];

const url: Rule = {
  type: 'text',
  most: 2_000,
  around: [NOBODY, ''],
  takes: ['https://127.0.0.1', 'http://[::1]:9/a?b=c'],
  refuses: ['', 'x', '127.0.0.1', 'ftp://127.0.0.1/x', 'https://user:password@127.0.0.1/', 'javascript:alert(1)'],
};
const time = form(['22:00', '00:00', '23:59'], ['', '22', '24:00', '7:00', '22:60', '22:00:00', 2200]);

const SETTINGS: Rules = {
  name: anyText(100),
  triggers: form([[], TRIGGERS, ['failed', 'failed']], [['x'], 'failed', [1], [...TRIGGERS, 'failed']]),
  unfetched_minutes: form([1, 2, 5, 10, 30, 60], [0, 3, 61, 1.5, '5']),
  rate_limit: whole(1, 60),
  quiet_from: time,
  quiet_until: time,
  time_zone: form(['UTC', 'Europe/Berlin', 'Asia/Shanghai'], ['', 'Mars/Olympus', 2]),
  enabled: flag,
};

const QUIET = { quiet_from: '22:00', quiet_until: '07:00' };
const WEBHOOK = { format: 'webhook', url: NOBODY, ...QUIET };

const NOTIFIER = v.strictObject({
  notifier_id: shapes.text,
  network_id: v.nullable(shapes.text),
  name: shapes.text,
  format: v.picklist(FORMATS),
  host: shapes.text,
  triggers: v.array(v.picklist(TRIGGERS)),
  unfetched_minutes: shapes.whole,
  rate_limit: shapes.whole,
  quiet_from: v.nullable(shapes.text),
  quiet_until: v.nullable(shapes.text),
  time_zone: shapes.text,
  enabled: shapes.flag,
  created_at: timestamp,
});

const OUTCOME = {
  response_status: v.nullable(shapes.whole),
  error: v.nullable(v.picklist(Object.keys(PROBLEMS))),
  message: v.nullable(shapes.text),
};

const DELIVERY = v.strictObject({
  delivery_id: shapes.text,
  trigger: v.picklist(TRIGGERS),
  title: shapes.text,
  count: shapes.whole,
  is_test: shapes.flag,
  status: v.picklist(['pending', 'delivered', 'failed']),
  attempts: shapes.whole,
  next_attempt_at: v.nullable(timestamp),
  ...OUTCOME,
  created_at: timestamp,
  ended_at: v.nullable(timestamp),
});

export const NOTIFIER_ENDPOINTS: EndpointRows = {
  'GET /api/notifiers': {
    auth: 'U',
    members: { network_id: text(), ...page },
    prepare: aNotifier,
    responses: list('notifiers', NOTIFIER),
  },
  'POST /api/notifiers': {
    auth: 'U',
    members: { format: required(oneOf(...FORMATS)), url: required(url), network_id: text(), ...SETTINGS },
    prepare: async ({ fixture }) => ({ as: await fixture.newUser(), given: { ...WEBHOOK, url: `${NOBODY}x` } }),
    responses: ok({ notifier: NOTIFIER, secret: v.pipe(shapes.text, v.regex(/^whsec_[0-9A-Za-z+/=]{44}$/)) }),
  },
  'PUT /api/notifiers/:notifier_id': {
    auth: 'U',
    members: { url, ...SETTINGS },
    prepare: aNotifier,
    responses: ok({ notifier: NOTIFIER }),
  },
  'DELETE /api/notifiers/:notifier_id': {
    auth: 'U',
    prepare: aNotifier,
    responses: ok({ notifier_id: shapes.text }),
  },
  'POST /api/notifiers/:notifier_id/test': {
    auth: 'U',
    prepare: aNotifier,
    responses: ok({ delivery_id: shapes.text, delivered: v.literal(false), ...OUTCOME }),
  },
  'GET /api/notifiers/:notifier_id/deliveries': {
    auth: 'U',
    members: page,
    prepare: async (network) => {
      const call = await aNotifier(network);
      await network.fixture.ask('POST', `/api/notifiers/${call.path?.notifier_id}/test`, { token: call.as?.token });
      return call;
    },
    responses: list('deliveries', DELIVERY),
  },
};

async function aNotifier({ fixture }: TestNetwork): Promise<Call> {
  const user = await fixture.newUser();
  return { as: user, path: { notifier_id: await createdBy(user, fixture) } };
}

async function createdBy({ token }: User, { ask }: Fixture): Promise<string> {
  const { body } = await ask('POST', '/api/notifiers', { token, body: WEBHOOK });
  const { notifier } = v.parse(v.object({ notifier: v.object({ notifier_id: v.string() }) }), body);
  return textOf(notifier, 'notifier_id');
}
