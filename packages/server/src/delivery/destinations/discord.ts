import { z } from 'zod';
import type { JsonObject } from '../../core/json/json.ts';
import { defineDestination } from '../destination.ts';
import { urlField } from '../fields.ts';
import { hiddenUrl } from '../post.ts';
import type { Card } from '../rendering/card.ts';
import { type Chat, chatText, composeChat, prepareChat } from '../rendering/chat.ts';
import { cutText } from '../rendering/text.ts';

const MOST_CONTENT = 2_000;
const ACCENT = 0x228be6;

const config = z.strictObject({
  url: urlField.meta({ title: 'Webhook URL' }),
  text: chatText,
});

/** A message in a Discord channel, through a webhook of that channel. */
export const discordDestination = defineDestination({
  name: 'discord',
  title: 'Discord',
  docs: [
    'Posts each event to a channel through its webhook URL (channel settings → Integrations → Webhooks).',
    'Without `text` an embed with the event’s main fields is shown. Nothing in a message can mention anybody.',
  ].join('\n'),
  config,
  secrets: ['url'],
  examples: [
    { title: 'Embed', config: { url: 'https://discord.com/api/webhooks/000/XXXX' } },
    {
      title: 'Text',
      config: { url: 'https://discord.com/api/webhooks/000/XXXX', text: '**{{event.type}}** {{payload.id}}' },
    },
  ],
  check: ({ url }, { client }) => client.requireUsableUrl(url, 'config.url'),

  composer: given => composeChat(given.text, chatOf(given)),
  prepare: (given, deps) => prepareChat('discord', given, chatOf(given), deps),
});

function chatOf({ url }: z.output<typeof config>): Chat {
  const waiting = new URL(url);
  // Without it Discord answers 204 before it has looked, and a refused message would count as delivered.
  waiting.searchParams.set('wait', 'true');
  return {
    envelope: {
      url: waiting.href,
      shownUrl: hiddenUrl(url),
      headers: { 'content-type': 'application/json' },
    },
    fields: { allowed_mentions: { parse: [] } },
    escapeText: literally,
    fromText: text => ({ content: cutText(text || ' ', MOST_CONTENT) }),
    fromCard: embed,
  };
}

/** Values are shown as they are: a backslash takes the meaning from Markdown's marks. */
const literally = (value: string): string => value.replace(/[\\*_~`|>#[\]()<:@-]/g, '\\$&');

/** An embed holds 6,000 characters in all, so no part of it may grow to what would be its own limit. */
function embed(card: Card): JsonObject {
  const more = card.hasMore ? '\n…and more in the payload' : '';
  return {
    embeds: [
      {
        title: cutText(literally(card.title), 256),
        color: ACCENT,
        fields: card.fields.map(({ name, value }) => ({
          name: cutText(literally(name), 100),
          value: cutText(literally(value), 400),
          inline: value.length <= 40,
        })),
        footer: { text: cutText(`${card.footer}${more}`, 300) },
        timestamp: new Date(card.happenedAt).toISOString(),
      },
    ],
  };
}
