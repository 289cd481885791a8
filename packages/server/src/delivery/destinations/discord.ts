import type { DiscordMessage } from '@sluice/contract/dashboard-test-events';
import { z } from 'zod';
import type { JsonObject } from '../../core/json/json.ts';
import { defineDestination } from '../destination.ts';
import { urlField } from '../fields.ts';
import { hiddenUrl } from '../post.ts';
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
import { cutText } from '../rendering/text.ts';

const MOST_CONTENT = 2_000;
const ACCENT = 0x228be6;

const config = z.strictObject({
  url: urlField.meta({ title: 'Webhook URL' }),
  text: chatText,
  link: linkField,
});

/** A message in a Discord channel, through a webhook of that channel. */
export const discordDestination = defineDestination({
  name: 'discord',
  title: 'Discord',
  docs: [
    'Posts each event to a channel through its webhook URL (channel settings → Integrations → Webhooks).',
    'Without `text` an embed with the event’s main fields is shown. Nothing in a message can mention anyone.',
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

  composer: given => composeChat(given, chatOf(given)),
  preview: {
    fields: chatPreviewFields,
    show: body => ({ format: 'discord', message: shownFields<DiscordMessage>(body, ['content', 'embeds']) }),
  },
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
    // In angle brackets a link is shown without a picture of the page behind it.
    fromText: (text, link) => ({
      content: withEnding(text || ' ', link && `\n[${LINK_WORDS}](<${link}>)`, MOST_CONTENT),
    }),
    fromCard: embed,
  };
}

/** Values are shown as they are: a backslash takes the meaning from Markdown's marks. */
const literally = (value: string): string => value.replace(/[\\*_~`|>#[\]()<:@-]/g, '\\$&');

/** An embed holds 6,000 characters in all, so no part of it may grow to what would be its own limit. */
function embed(card: Card, link: string | null): JsonObject {
  const more = card.hasMore ? '\n…and more in the payload' : '';
  return {
    embeds: [
      {
        title: cutText(literally(card.title), 256),
        color: ACCENT,
        fields: [
          ...card.fields.map(({ name, value }) => ({
            name: cutText(literally(name), 100),
            value: cutText(literally(value), 400),
            inline: value.length <= 40,
          })),
          ...linkFields(link),
        ],
        footer: { text: cutText(`${card.footer}${more}`, 300) },
        timestamp: new Date(card.happenedAt).toISOString(),
      },
    ],
  };
}

/** As much as is left beside everything else that an embed holds. */
const LONGEST_LINK = 400;

/** Not the link of its title: Discord refuses a whole message for one to a host that only the company knows. */
const linkFields = (link: string | null) =>
  link === null || link.length > LONGEST_LINK
    ? []
    : [{ name: '\u200b', value: `[${LINK_WORDS}](${link})`, inline: false }];
