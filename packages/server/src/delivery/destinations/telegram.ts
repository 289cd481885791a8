import type { TelegramMessage } from '@sluice/contract/dashboard-test-events';
import { z } from 'zod';
import type { JsonObject } from '../../core/json/json.ts';
import { defineDestination } from '../destination.ts';
import { baseUrlField, joinUrl } from '../fields.ts';
import type { HttpAnswer, VendorRejection } from '../post.ts';
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
import { quoted, withoutMentions } from '../rendering/text.ts';

const VENDOR = 'https://api.telegram.org';
const MOST_TEXT = 4_096;

const config = z.strictObject({
  bot_token: z
    .string()
    .regex(/^[A-Za-z0-9:_-]+$/, 'must be a token such as 123456:ABC-DEF.')
    .meta({ title: 'Bot token' }),
  chat_id: z
    .union([z.int(), z.string().regex(/^(-?\d+|@\w+)$/)], {
      error: 'config.chat_id must be a number such as -1001234567890, or a name such as @channel.',
    })
    .meta({ title: 'Chat' }),
  text: chatText,
  link: linkField,
  base_url: baseUrlField(VENDOR),
});

/** A message in a Telegram chat, from a bot. */
export const telegramDestination = defineDestination({
  name: 'telegram',
  title: 'Telegram',
  docs: [
    'A bot sends each event to a chat, a group or a channel that it is a member of.',
    'Without `text` a summary with the event’s main fields is shown; `text` is sent as plain text.',
    'Nothing in an event can mention anyone.',
  ].join('\n'),
  config,
  secrets: ['bot_token'],
  examples: [
    { title: 'Summary', config: { bot_token: '123456:ABC-DEF', chat_id: -1001234567890 } },
    {
      title: 'Text',
      config: { bot_token: '123456:ABC-DEF', chat_id: '@shop_alerts', text: '{{event.icon}} {{payload.id}}' },
    },
  ],
  check: ({ base_url }, { client }) => client.requireUsableUrl(base_url ?? VENDOR, 'config.base_url'),

  composer: given => composeChat(given, chatOf(given)),
  preview: {
    fields: chatPreviewFields,
    show: body => ({
      format: 'telegram',
      message: shownFields<TelegramMessage>(body, ['text', 'parse_mode']),
    }),
  },
  prepare: (given, deps) => prepareChat('telegram', given, chatOf(given), deps),
});

function chatOf({ bot_token, chat_id, base_url }: z.output<typeof config>): Chat {
  const base = base_url ?? VENDOR;
  return {
    envelope: {
      url: joinUrl(base, `/bot${bot_token}/sendMessage`),
      shownUrl: joinUrl(base, '/bot…/sendMessage'),
      headers: { 'content-type': 'application/json' },
      judge: judgeAnswer,
    },
    fields: { chat_id, link_preview_options: { is_disabled: true } },
    // Without a parse mode, marks are shown as they are; only mentions have to lose their effect.
    escapeText: withoutMentions,
    fromText: (text, link) => ({
      text: withEnding(text.trim() || '—', link && `\n${LINK_WORDS}: ${link}`, MOST_TEXT),
    }),
    fromCard: summary,
  };
}

const apiAnswer = z.object({
  ok: z.boolean(),
  description: z.string().optional(),
  parameters: z.object({ retry_after: z.number().optional() }).optional(),
});

/** Whatever the status, the API says in the body whether it took the message, and when to come back. */
function judgeAnswer(answer: HttpAnswer): VendorRejection | 'delivered' | null {
  let said: z.output<typeof apiAnswer>;
  try {
    said = apiAnswer.parse(JSON.parse(answer.body));
  } catch {
    return answer.status === 200
      ? { code: 'bad_response', message: 'The answer was not that of Telegram’s API.' }
      : null;
  }
  if (said.ok) return answer.status === 200 ? 'delivered' : null;
  const seconds = said.parameters?.retry_after;
  return {
    code: answer.status === 200 ? 'rejected_by_destination' : 'bad_status',
    message: `Telegram refused the message: ${quoted(said.description ?? 'no reason given')}.`,
    retryAfterMs: seconds === undefined ? null : seconds * 1_000,
  };
}

const literally = (value: string): string =>
  withoutMentions(value).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Far below what a message may hold, even where every character has to be written as an entity. */
function summary(card: Card, link: string | null): JsonObject {
  const lines = [
    `<b>${literally(card.title)}</b>`,
    ...card.fields.map(({ name, value }) => `<b>${literally(name)}</b>: ${literally(value)}`),
    ...(card.hasMore ? ['…and more in the payload'] : []),
    ...(link === null ? [] : [`<a href="${literally(link).replaceAll('"', '&quot;')}">${LINK_WORDS}</a>`]),
    `<i>${literally(card.footer)}</i>`,
  ];
  return { text: lines.join('\n'), parse_mode: 'HTML' };
}
