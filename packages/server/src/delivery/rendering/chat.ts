import { z } from 'zod';
import type { Escape } from '../../core/expressions/template.ts';
import { type JsonObject, stringifyJson } from '../../core/json/json.ts';
import type { Destination, DestinationDeps } from '../destination.ts';
import { type Post, post } from '../post.ts';
import { type Card, cardOf } from './card.ts';
import { fillInTurn } from './filling.ts';
import { compileMessage, type Filled, unsent } from './message.ts';

/** What chats have in common: a text of somebody's own, or else a card of the event, in a vendor's envelope. */
export interface Chat {
  readonly envelope: Omit<Post, 'body' | 'timeoutMs'> & { readonly shownUrl: string };
  /** Stand in every message. */
  readonly fields: JsonObject;
  /** Shows a value of the event as it is, where the vendor would read marks or mentions into it. */
  readonly escapeText: Escape;
  readonly fromText: (text: string) => JsonObject;
  readonly fromCard: (card: Card) => JsonObject;
}

export const chatText = z.string().min(1).max(10_000).optional().meta({
  title: 'Text',
  description: 'With `{{ … }}` where something of the event goes. Absent: a card of the event.',
});

export function prepareChat(text: string | undefined, chat: Chat, deps: DestinationDeps): Destination {
  const { envelope, fields, escapeText, fromText, fromCard } = chat;
  const message = text === undefined ? null : compileMessage(text, 'config.text', escapeText);
  return {
    readsTraits: message?.readsTraits ?? false,
    async send(delivery) {
      const filled = await fillInTurn(delivery, (scope, budget): Filled<JsonObject> => {
        if (message === null) return { kind: 'filled', value: fromCard(cardOf(scope)) };
        const text = message.fill(scope, budget);
        return text.kind === 'failed' ? text : { kind: 'filled', value: fromText(text.value) };
      });
      if (filled.kind === 'failed') return unsent(`POST ${envelope.shownUrl}`, filled.failure);
      const body = stringifyJson({ ...fields, ...filled.value });
      const { timeoutMs } = delivery;
      return post({ ...envelope, body, timeoutMs }, { http: deps.client, clock: deps.clock });
    },
  };
}
