import { unauthenticated } from '../credentials.ts';
import { explainMismatch } from './mismatch.ts';
import { isOneOf } from './token.ts';

/** Answers to providers that ask whether an address is ours, before they send anything there. */

/** Nothing that a provider has answered back to it is longer. */
const MOST_CHARACTERS = 4_096;

/** What was asked for is said back as plain text, which no browser takes for a page. */
export const plainAnswer = (text: string): Response =>
  new Response(text.slice(0, MOST_CHARACTERS), {
    headers: { 'Content-Type': 'text/plain; charset=utf-8', 'X-Content-Type-Options': 'nosniff' },
  });

/** The value of a parameter of the URL in a request of this method; null where it does not ask. */
export function askedFor(request: Request, method: 'GET' | 'POST', name: string): string | null {
  return request.method === method ? new URL(request.url).searchParams.get(name) : null;
}

/** `hub.challenge`, as WebSub has it: shown to us with the token that was agreed on. */
export function hubChallenge(request: Request, verifyToken: string | null): string | null {
  const challenge = askedFor(request, 'GET', 'hub.challenge');
  if (challenge === null) return null;
  const given = new URL(request.url).searchParams.get('hub.verify_token') ?? '';
  if (verifyToken === null || !isOneOf(given, [verifyToken]))
    throw unauthenticated(explainMismatch({ part: 'token_differs', where: 'hub.verify_token' }));
  return challenge;
}
