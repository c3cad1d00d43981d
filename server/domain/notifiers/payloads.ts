// The request of a delivery in each format. Texts of agents are data: no format interprets them as markup or mentions.
import { createHmac } from 'node:crypto';
import type { Millis } from '../time/clock.ts';
import { isoTime, SECOND_MS } from '../time/time.ts';
import { type Format, TOPIC, type Trigger } from './choices.ts';
import { type Counts, type Delivery, type Notifier, sizeOfSummary } from './notifier.ts';

export type OutgoingRequest = { url: string; headers: Readonly<Record<string, string>>; body: string };

/** What every format shows. `link` opens the console. */
type Notice = { title: string; text: string; link: string; isUrgent: boolean };

type Sent = Pick<Delivery, 'delivery_id' | 'need' | 'counts' | 'is_test'>;

const URGENT: readonly Trigger[] = ['waiting_input', 'blocked', 'error', 'stuck', 'message', 'failed'];

const NOUNS: Record<Trigger, readonly [one: string, more: string]> = {
  waiting_input: ['agent needs input', 'agents need input'],
  blocked: ['agent is blocked', 'agents are blocked'],
  error: ['agent reported an error', 'agents reported errors'],
  stuck: ['agent is stuck', 'agents are stuck'],
  message: ['message', 'messages'],
  result: ['result', 'results'],
  failed: ['task failed', 'tasks failed'],
  unfetched: ['task was not fetched', 'tasks were not fetched'],
  expiring: ['task is about to expire', 'tasks are about to expire'],
};

/** `hub` is its public URL. The webhook is signed at `now`, so that a receiver can refuse old requests. */
export function requestOf(
  notifier: Pick<Notifier, 'format' | 'url' | 'secret'>,
  delivery: Sent,
  hub: string,
  now: Millis,
): OutgoingRequest {
  const notice = noticeOf(delivery, hub);
  const { url = notifier.url, content } = FORMATTERS[notifier.format](notice, delivery, notifier.url);
  const body = JSON.stringify(content);
  const signed = notifier.secret === null ? {} : signature(notifier.secret, delivery.delivery_id, body, now);
  return { url, headers: { 'Content-Type': 'application/json', ...signed }, body };
}

/** As in the Standard Webhooks specification: HMAC-SHA256 over the id, the timestamp and the body. */
function signature(secret: string, id: string, body: string, now: Millis): Record<string, string> {
  const timestamp = String(Math.floor(now / SECOND_MS));
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const digest = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${digest}` };
}

/** A name of Chinese characters is nine times as long in a URL, and Discord accepts only 2,000 characters. */
const MAX_PATH = 500;

function noticeOf({ need, counts, is_test }: Sent, hub: string): Notice {
  const link = hub + (need.path.length > MAX_PATH ? '/' : need.path);
  const single = { title: need.title, text: need.text, link, isUrgent: URGENT.includes(need.trigger) };
  if (is_test || counts === null || sizeOfSummary(counts) === 1) return single;
  return {
    title: `${sizeOfSummary(counts)} more items need you`,
    text: listOf(counts),
    link: `${hub}/`,
    isUrgent: false,
  };
}

function listOf(counts: Counts): string {
  const listed = Object.entries(NOUNS).flatMap(([trigger, [one, more]]) => {
    const count = counts[trigger as Trigger] ?? 0; // Object.entries forgets the type of the keys
    return count === 0 ? [] : [`${count} ${count === 1 ? one : more}`];
  });
  return listed.join(', ');
}

/** Without this flag, Discord loads the pages that a text links to. */
const DISCORD_WITHOUT_EMBEDS = 4;

type Formatter = (notice: Notice, delivery: Sent, url: string) => { url?: string; content: object };

const FORMATTERS: Record<Format, Formatter> = {
  webhook: (notice, delivery) => ({ content: webhookContent(notice, delivery) }),
  ntfy: (notice, _, url) => ({ url: publisherOf(url), content: { topic: topicOf(url), ...ntfyContent(notice) } }),
  slack: ({ title, text, link }) => ({
    content: {
      text: `*${slackText(title)}*\n${slackText(text)}\n<${link}|Open the console>`,
      unfurl_links: false,
      unfurl_media: false,
    },
  }),
  discord: ({ title, text, link }) => ({
    content: {
      content: `**${plain(title)}**\n${plain(text)}\n<${link}>`,
      allowed_mentions: { parse: [] },
      flags: DISCORD_WITHOUT_EMBEDS,
    },
  }),
  teams: (notice) => ({ content: teamsContent(notice) }),
};

function webhookContent({ title, text, link }: Notice, { delivery_id, need, counts, is_test }: Sent): object {
  const { trigger, network_id, network_name, alias, task_id, message_id, at } = need;
  const isSummary = counts !== null && sizeOfSummary(counts) > 1;
  const about = isSummary ? { counts } : { trigger, network_id, network_name, alias, task_id, message_id };
  const type = is_test ? 'test' : isSummary ? 'summary' : 'need';
  return { id: delivery_id, type, title, text, link, ...about, timestamp: isoTime(at) };
}

/** The topic at the end of an ntfy URL; undefined if there is none. */
export function topicOf(url: string): string | undefined {
  return TOPIC.exec(new URL(url).pathname)?.[1];
}

/** ntfy accepts JSON, and with it any character, at the URL without the topic. The query may hold an access token. */
function publisherOf(url: string): string {
  const publisher = new URL(url);
  publisher.pathname = publisher.pathname.replace(TOPIC, '/');
  return publisher.href;
}

const ntfyContent = ({ title, text, link, isUrgent }: Notice): object => ({
  title,
  message: text === '' ? title : text,
  click: link,
  priority: isUrgent ? 4 : 3,
});

/** A card for a Teams workflow. Its texts support some Markdown. */
function teamsContent({ title, text, link }: Notice): object {
  const lines = [
    { type: 'TextBlock', text: plain(title), weight: 'Bolder', wrap: true },
    { type: 'TextBlock', text: plain(text), wrap: true },
  ];
  const content = {
    type: 'AdaptiveCard',
    version: '1.4',
    body: lines,
    actions: [{ type: 'Action.OpenUrl', title: 'Open the console', url: link }],
  };
  return { type: 'message', attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', content }] };
}

const SLACK_ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Words that notify a whole channel on servers that accept the payloads of Slack, such as Mattermost. */
const MENTION_OF_ALL = /@(?=(?:all|channel|everyone|here)\b)/gi;

/** Slack reads `<…>` as links and mentions. */
function slackText(text: string): string {
  const escaped = text.replace(/[&<>]/g, (character) => SLACK_ESCAPES[character] ?? '');
  return escaped.replace(MENTION_OF_ALL, '@\u200B');
}

/** Escapes Markdown. */
function plain(text: string): string {
  return text.replace(/[\\`*_~|<>[\]()#]/g, '\\$&');
}
