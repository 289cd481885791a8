import { z } from 'zod';
import { type EventLimits, ingestEvent, jsonObject, textOf } from './event.ts';

/** Private calls by which people try things out: saved test events, tests of destinations, previews of messages. */

/** As many as an organisation may keep, and how large each may be as JSON. */
export const MOST_TEST_EVENTS = 100;
export const MOST_TEST_EVENT_BYTES = 64 * 1024;

const name = z
  .string()
  .trim()
  .min(1, 'must have 1 to 100 characters.')
  .max(100, 'must have 1 to 100 characters.');

/** The event as it would be sent to `/v1/ingest`. */
export const testEventBody = (limits: EventLimits) => z.strictObject({ name, event: ingestEvent(limits) });

export const testEventChange = (limits: EventLimits) =>
  z.strictObject({ name: name.optional(), event: ingestEvent(limits).optional() });

/** A saved test event. */
export interface TestEventRecord {
  readonly id: string;
  readonly name: string;
  /** As it would be sent to `/v1/ingest`. */
  readonly event: Readonly<Record<string, unknown>> & { readonly type: string };
  readonly created_by: string;
  readonly created_at: string;
  readonly updated_at: string;
}

const tried = (limits: EventLimits) => ({
  /** One that came in: as its pipeline left it for this destination, else as it came. */
  event_id: textOf(1, 64).optional(),
  /** One that somebody wrote. */
  event: ingestEvent(limits).optional(),
});

const hasOneAtMost = ({ event, event_id }: { event?: unknown; event_id?: unknown }) =>
  event === undefined || event_id === undefined;
const notBoth = { message: 'event may be given, or event_id, and not both.' };

/** Without either, an event that says that it is a test. */
export const destinationTestBody = (limits: EventLimits) =>
  z.strictObject(tried(limits)).refine(hasOneAtMost, notBoth);

/** A draft of a destination. Only what makes up the message is read of its configuration, so no secret is needed. */
export const destinationPreviewBody = (limits: EventLimits) =>
  z
    .strictObject({
      kind: z.string(),
      config: jsonObject.default(() => ({})),
      /** Of one that exists: its events are previewed as they went there. */
      id: textOf(1, 64).optional(),
      ...tried(limits),
    })
    .refine(hasOneAtMost, notBoth);

/** A message as it would be sent, in the vendor's own form. */
export type MessagePreview =
  | { readonly format: 'slack'; readonly message: SlackMessage }
  | { readonly format: 'discord'; readonly message: DiscordMessage }
  | { readonly format: 'telegram'; readonly message: TelegramMessage }
  | { readonly format: 'email'; readonly message: EmailMessage };

export interface SlackMessage {
  /** In mrkdwn; beside blocks it is what notifications show. */
  readonly text: string;
  readonly blocks?: readonly SlackBlock[];
}

export type SlackBlock =
  | { readonly type: 'header'; readonly text: SlackText }
  | { readonly type: 'section'; readonly text?: SlackText; readonly fields?: readonly SlackText[] }
  | { readonly type: 'context'; readonly elements: readonly SlackText[] };

export interface SlackText {
  readonly type: 'plain_text' | 'mrkdwn';
  readonly text: string;
  readonly emoji?: boolean;
  /** Nothing in it becomes a link or a mention by itself. */
  readonly verbatim?: boolean;
}

export interface DiscordMessage {
  readonly content?: string;
  readonly embeds?: readonly DiscordEmbed[];
}

export interface DiscordEmbed {
  readonly title: string;
  readonly color: number;
  readonly fields: readonly { readonly name: string; readonly value: string; readonly inline: boolean }[];
  readonly footer: { readonly text: string };
  readonly timestamp: string;
}

export interface TelegramMessage {
  readonly text: string;
  readonly parse_mode?: 'HTML';
}

export interface EmailMessage {
  readonly subject: string;
  readonly text: string;
  /** Null where the mail is plain text. */
  readonly html: string | null;
}
