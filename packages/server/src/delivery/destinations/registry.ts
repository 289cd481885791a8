import type { DestinationKind } from '../destination.ts';
import { discordDestination } from './discord.ts';
import { emailDestination } from './email.ts';
import { inboxDestination } from './inbox.ts';
import { listenerDestination } from './listener.ts';
import { notionDestination } from './notion.ts';
import { postgresDestination } from './postgres.ts';
import { slackDestination } from './slack.ts';
import { telegramDestination } from './telegram.ts';
import { webhookDestination } from './webhook.ts';

/** Every kind of destination there is, in the order people are shown them. */
export const destinationKinds: readonly DestinationKind[] = [
  webhookDestination,
  slackDestination,
  discordDestination,
  telegramDestination,
  emailDestination,
  postgresDestination,
  notionDestination,
  inboxDestination,
  listenerDestination,
];

export const findDestinationKind = (name: string): DestinationKind | undefined =>
  destinationKinds.find(kind => kind.name === name);
