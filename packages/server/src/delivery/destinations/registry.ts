import type { DestinationKind } from '../destination.ts';
import { discord } from './discord.ts';
import { email } from './email.ts';
import { inbox } from './inbox.ts';
import { notion } from './notion.ts';
import { postgres } from './postgres.ts';
import { slack } from './slack.ts';
import { telegram } from './telegram.ts';
import { webhook } from './webhook.ts';

/** Every kind of destination there is, in the order people are shown them. */
export const destinationKinds: readonly DestinationKind[] = [
  webhook,
  slack,
  discord,
  telegram,
  email,
  postgres,
  notion,
  inbox,
];

export const findDestinationKind = (name: string): DestinationKind | undefined =>
  destinationKinds.find(kind => kind.name === name);
