import { z } from 'zod';
import type { Scope } from '../../core/event/scope.ts';
import { cutText } from './text.ts';

/** The link “Open in Sluice” that a message may carry. */

export const LINK_WORDS = 'Open in Sluice';

export const linkField = z
  .enum(['default', 'always', 'never'])
  .optional()
  .meta({
    title: LINK_WORDS,
    description: [
      'A link to the event’s page, where the operator has set `SLUICE_BASE_URL`. `default`: under the default layout, not',
      'under a text of your own, which can show it as `{{event.link}}`.',
    ].join(' '),
    default: 'default',
  });

export type LinkChoice = z.output<typeof linkField>;

/** Where the message of this event leads; null where it carries no link. */
export function linkFor(choice: LinkChoice, isDefaultLayout: boolean, scope: Scope): string | null {
  const isShown = choice === 'always' || (choice !== 'never' && isDefaultLayout);
  return isShown ? pageOfEvent(scope) : null;
}

const ORGANISATION = /^.*?\/o\/[a-z0-9-]{1,64}(?=\/)/;

/** An alert leads to the page that it is about, in the same organisation; every other event to its own. */
function pageOfEvent({ event: { type, link }, payload }: Scope): string | null {
  if (link === undefined) return null;
  const [pages] = ORGANISATION.exec(link) ?? [];
  const about = type.startsWith('sluice.') ? payload.url : undefined;
  if (typeof about !== 'string' || pages === undefined || !about.startsWith(pages)) return link;
  // Whoever sends an event may call it an alert: what is taken from it can be a path and nothing else.
  return /^(?:\/[\w.-]+)+$/.test(about.slice(pages.length)) ? about : link;
}

/** A text with what leads further at its end, which is never cut. */
export const withEnding = (text: string, ending: string | null, most: number): string =>
  ending === null ? cutText(text, most) : `${cutText(text, Math.max(1, most - ending.length))}${ending}`;
