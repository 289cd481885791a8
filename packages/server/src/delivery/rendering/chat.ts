import { z } from 'zod';
import type { Escape } from '../../core/expressions/template.ts';
import { type JsonObject, stringifyJson } from '../../core/json/json.ts';
import type { Composer, Destination, DestinationDeps } from '../destination.ts';
import { type Post, post } from '../post.ts';
import { type Card, cardOf } from './card.ts';
import { type LinkChoice, linkFor } from './link.ts';
import { compileMessage, type Rendered, unsent } from './message.ts';

/** What chats have in common: a text of somebody's own, or else a card of the event, in a vendor's envelope. */
export interface Chat {
  readonly envelope: Omit<Post, 'body' | 'timeoutMs' | 'isStillWanted'> & { readonly shownUrl: string };
  /** Stand in every message. */
  readonly fields: JsonObject;
  /** Shows a value of the event as it is, where the vendor would read marks or mentions into it. */
  readonly escapeText: Escape;
  /** `link`: to the event's page; null where the message carries none. */
  readonly fromText: (text: string, link: string | null) => JsonObject;
  readonly fromCard: (card: Card, link: string | null) => JsonObject;
}

export const chatText = z.string().min(1).max(10_000).optional().meta({
  title: 'Text',
  description: 'Use `{{ … }}` to insert values from the event. Default: a card of the event.',
});

/** What of a configuration makes up a message. */
interface ChatLayout {
  readonly text?: string | undefined;
  readonly link?: LinkChoice;
}

export const chatPreviewFields: readonly (keyof ChatLayout)[] = ['text', 'link'];

/** What people see of a rendered body: these fields of it, where they are there. */
export function shownFields<Message>(body: unknown, fields: readonly (keyof Message & string)[]): Message {
  const message = JSON.parse(body as string) as Message & object;
  return Object.fromEntries(
    Object.entries(message).filter(([name]) => fields.some(field => field === name)),
  ) as Message;
}

/** The body of a message. */
export function composeChat({ text, link: choice }: ChatLayout, chat: Chat): Composer<Rendered<string>> {
  const { fields, escapeText, fromText, fromCard } = chat;
  const message = text === undefined ? null : compileMessage(text, 'config.text', escapeText);
  const bodyOf = (content: JsonObject): Rendered<string> => ({
    kind: 'rendered',
    value: stringifyJson({ ...fields, ...content }),
  });
  return {
    readsTraits: message?.readsTraits ?? false,
    check: () => message?.check(),
    compose(_delivery, scope, budget) {
      const link = linkFor(choice, message === null, scope);
      if (message === null) return bodyOf(fromCard(cardOf(scope), link));
      const text = message.render(scope, budget);
      return text.kind === 'failed' ? text : bodyOf(fromText(text.value, link));
    },
  };
}

export function prepareChat(
  kind: string,
  config: ChatLayout,
  chat: Chat,
  deps: DestinationDeps,
): Destination {
  const { envelope } = chat;
  const composer = composeChat(config, chat);
  return {
    readsTraits: composer.readsTraits,
    readsLink: true,
    async send(delivery) {
      const body = await deps.renderer.render(delivery, { kind, config, composer });
      if (body.kind === 'failed') return unsent(`POST ${envelope.shownUrl}`, body.failure);
      const { timeoutMs, isTest, isStillWanted } = delivery;
      const request = { ...envelope, body: body.value, timeoutMs, isTest, isStillWanted };
      return post(request, { http: deps.client, clock: deps.clock });
    },
  };
}
