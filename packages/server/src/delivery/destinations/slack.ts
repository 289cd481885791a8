import type { SlackMessage } from '@sluice/contract/dashboard-test-events';
import { z } from 'zod';
import type { JsonObject } from '../../core/json/json.ts';
import { defineDestination } from '../destination.ts';
import { baseUrlField, joinUrl, tokenField, urlField } from '../fields.ts';
import { type HttpAnswer, hiddenUrl, type VendorRejection } from '../post.ts';
import type { Card } from '../rendering/card.ts';
import {
  type Chat,
  chatPreviewFields,
  chatText,
  composeChat,
  prepareChat,
  shownFields,
} from '../rendering/chat.ts';
import { LINK_WORDS, linkField, withEnding } from '../rendering/link.ts';
import { cutText, quoted, withoutMentions } from '../rendering/text.ts';

const VENDOR = 'https://slack.com/api';
const MOST_TEXT = 3_000;

const config = z.union(
  [
    z
      .strictObject({
        url: urlField.meta({ title: 'Incoming webhook URL' }),
        text: chatText,
        link: linkField,
      })
      .meta({ title: 'Incoming webhook' }),
    z
      .strictObject({
        bot_token: tokenField.meta({ title: 'Bot token' }),
        channel: z
          .string()
          .min(1)
          .max(256)
          .meta({ title: 'Channel', examples: ['#alerts', 'C0123456789'] }),
        base_url: baseUrlField(VENDOR),
        text: chatText,
        link: linkField,
      })
      .meta({ title: 'Bot' }),
  ],
  { error: 'config must hold a url, or a bot_token and a channel.' },
);

/** A message in a Slack channel. */
export const slackDestination = defineDestination({
  name: 'slack',
  title: 'Slack',
  docs: [
    'Posts each event to a channel: through an incoming webhook (`url`), or as a bot (`bot_token` and `channel`).',
    'Servers that understand Slack’s incoming webhooks, such as Mattermost and Rocket.Chat, serve as well.',
    'Without `text` a card with the event’s main fields is shown. Nothing in an event can mention anyone.',
  ].join('\n'),
  config,
  secrets: ['url', 'bot_token'],
  examples: [
    { title: 'Incoming webhook', config: { url: 'https://hooks.slack.com/services/T000/B000/XXXX' } },
    {
      title: 'Bot with a custom text',
      config: {
        bot_token: 'xoxb-0123456789',
        channel: '#orders',
        text: '*{{event.type}}* of {{payload.customer.email}}',
      },
    },
  ],
  check: (given, { client }) =>
    'url' in given
      ? client.requireUsableUrl(given.url, 'config.url')
      : client.requireUsableUrl(given.base_url ?? VENDOR, 'config.base_url'),

  composer: given => composeChat(given, chatOf(given)),
  preview: {
    fields: chatPreviewFields,
    show: body => ({ format: 'slack', message: shownFields<SlackMessage>(body, ['text', 'blocks']) }),
  },
  prepare: (given, deps) => prepareChat('slack', given, chatOf(given), deps),
});

const chatOf = (given: z.output<typeof config>): Chat => ({
  ...('url' in given ? throughWebhook(given.url) : asBot(given)),
  escapeText: literally,
  fromText: (text, link) => ({ text: withEnding(text || ' ', link && `\n${anchor(link)}`, MOST_TEXT) }),
  fromCard: cardMessage,
});

type Way = Pick<Chat, 'envelope' | 'fields'>;

const jsonHeaders = { 'content-type': 'application/json; charset=utf-8' };

const throughWebhook = (url: string): Way => ({
  envelope: { url, headers: jsonHeaders, shownUrl: hiddenUrl(url) },
  fields: {},
});

function asBot(given: { bot_token: string; channel: string; base_url?: string | undefined }): Way {
  const url = joinUrl(given.base_url ?? VENDOR, '/chat.postMessage');
  return {
    envelope: {
      url,
      shownUrl: url,
      headers: { ...jsonHeaders, authorization: `Bearer ${given.bot_token}` },
      shownHeaders: { ...jsonHeaders, authorization: 'Bearer …' },
      judge: judgeApiAnswer,
    },
    fields: { channel: given.channel, unfurl_links: false, unfurl_media: false },
  };
}

/** The API says no with a 200 and `"ok": false`. */
function judgeApiAnswer(answer: HttpAnswer): VendorRejection | 'delivered' | null {
  if (answer.status !== 200) return null;
  const said = readAnswer(answer.body);
  if (said === null) return { code: 'bad_response', message: 'The answer was not that of Slack’s API.' };
  if (said.ok) return 'delivered';
  return {
    code: 'rejected_by_destination',
    message: `Slack refused the message: ${quoted(said.error ?? 'no reason given')}.`,
  };
}

const apiAnswer = z.object({ ok: z.boolean(), error: z.string().optional() });

function readAnswer(body: string): z.output<typeof apiAnswer> | null {
  try {
    return apiAnswer.parse(JSON.parse(body));
  } catch {
    return null;
  }
}

/** Slack's own marks are made with these three; everything that pings somebody is one of them. */
const literally = (value: string): string =>
  withoutMentions(value).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** `<` begins a mark of theirs, and this is one. */
const anchor = (link: string): string => `<${link.replaceAll('|', '%7C')}|${LINK_WORDS}>`;

const marked = (value: string): JsonObject => ({ type: 'mrkdwn', text: value, verbatim: true });

/** `text` is what notifications show, and all that servers show which do not know blocks. */
function cardMessage(card: Card, link: string | null): JsonObject {
  const rows = card.fields.map(({ name, value }) => ({ name: literally(name), value: literally(value) }));
  const footer = literally(card.footer);
  const text = [
    `*${literally(card.title)}*`,
    ...rows.map(({ name, value }) => `${name}: ${value}`),
    `_${footer}_`,
  ].join('\n');
  const header = {
    type: 'header',
    text: { type: 'plain_text', text: cutText(withoutMentions(card.title), 150), emoji: true },
  };
  const fields = rows.map(({ name, value }) => marked(`*${name}*\n${value}`));
  const more = card.hasMore ? [{ type: 'context', elements: [marked('…and more in the payload')] }] : [];
  const blocks: JsonObject[] = [
    header,
    ...(fields.length > 0 ? [{ type: 'section', fields }] : []),
    ...more,
    ...(link === null ? [] : [{ type: 'section', text: marked(anchor(link)) }]),
    { type: 'context', elements: [marked(footer)] },
  ];
  return { text: withEnding(text, link && `\n${anchor(link)}`, MOST_TEXT), blocks };
}
