import { expect } from 'bun:test';
import { privateCalls, type Route } from '@sluice/contract/private-calls';
import type { z } from 'zod';
import { newId } from '../../../src/core/ids.ts';
import { listOf } from '../dashboard.ts';
import type { LiveStream } from '../live-stream.ts';
import { until } from '../until.ts';
import { callCases, routes } from './call-cases.ts';
import type { Tenant } from './tenant.ts';
import { pathOf, type Things } from './things.ts';

/** So many calls does one stream follow beside the one that shows that it has looked. */
export const CALLS_AT_ONCE = 14;

interface Sides {
  readonly ours: Tenant;
  readonly theirs: Tenant;
  readonly nobodys: Things;
  /** As the owner of the other organisation. */
  open(path: string): Promise<LiveStream>;
  /** A key is renamed there, and an event comes in, whose id it answers. */
  happen(tenant: Tenant): Promise<string>;
  likeness(answer: string, things: Things): string;
}

/** Opens every stream that can be asked for ours, and for what nobody has, and holds what they tell against each other. */
export async function expectStreamsAsIfAbsent({
  ours,
  theirs,
  nobodys,
  open,
  happen,
  likeness,
}: Sides): Promise<void> {
  const sources = listOf<{ id: string; name: string }>(await ours.owner.get('/sources')).data;
  const sending = sources.find(({ name }) => name === `${ours.things.word} source`)?.id ?? '';
  const first = await happen(ours);
  const theirFirst = await happen(theirs);
  const named = ({ paths, parameters, eventType, word }: Things, source: string, event: string) => ({
    source,
    event,
    pipeline: paths['/pipelines'],
    destination: paths['/destinations'],
    entity: `${parameters.kind}:${parameters.external_id}`,
    type: eventType,
    text: word,
    after_id: event,
  });
  // Of the same moment: what came since is told.
  const sides = [
    named(ours.things, sending, first),
    named(nobodys, newId('src'), `${first.slice(0, 14)}${newId('evt').slice(14)}`),
  ] as const;
  const asking = (route: Route): string[][] =>
    Object.keys((privateCalls[route] as { query?: z.ZodObject }).query?.shape ?? {})
      .filter(name => name !== 'text' && Object.hasOwn(sides[0], name))
      .map(name =>
        sides.map(
          side =>
            pathOf(route, theirs.things) +
            queryOf({ ...callCases[route].query, [name]: side[name as keyof typeof side] }),
        ),
      );
  const pairs = routes
    .filter(
      route =>
        route.startsWith('GET ') &&
        privateCalls[route].answer.kind !== 'stream' &&
        callCases[route].least !== 'anyone',
    )
    .flatMap(asking);
  expect(pairs.length).toBeGreaterThan(10);
  const followed: { stream: LiveStream; pairs: string[][] }[] = [];
  for (let n = 0; n < pairs.length; n += CALLS_AT_ONCE / 2) {
    const some = pairs.slice(n, n + CALLS_AT_ONCE / 2);
    const query = new URLSearchParams(['/keys', ...some.flat()].map(call => ['call', call]));
    followed.push({ stream: await open(`/live?${query}`), pairs: some });
  }
  const tails = asking('GET /live/events').concat([
    sides.map(({ text }) => `/live/events${queryOf({ text })}`),
  ]);
  const [everything, ...before] = await Promise.all(['/live/events', ...tails.flat()].map(open));
  const second = await happen(ours);
  const theirSecond = await happen(theirs);
  await everything?.next(({ data }) => data.includes(theirSecond));
  for (const stream of [everything, ...before]) stream?.close();
  // Once more from where it began: nobody knows when a stream has nothing to tell, but its first message comes always.
  const after: LiveStream[] = [];
  for (const path of tails.flat()) {
    const since = path.includes('after_id=') ? path : `${path}&after_id=${theirFirst}`;
    // Those that were closed may not be gone yet, and there is room for so many.
    await until(async () => {
      const stream = await open(since);
      if (stream.response.ok) after.push(stream);
      return stream.response.ok;
    }, `There is no room for ${since}.`);
  }
  const rowsOf = async (stream: LiveStream) => {
    const { data } = await stream.next(({ event }) => event === 'events');
    const { rows, changed } = JSON.parse(data) as Record<'rows' | 'changed', { id: string }[]>;
    return [...rows, ...changed].map(({ id }) => id).sort();
  };
  for (const [n, [path = '']] of tails.entries()) {
    const [asked, absent] = await Promise.all(after.slice(2 * n, 2 * n + 2).map(rowsOf));
    expect(asked ?? [], path).toEqual(absent ?? []);
    if (path.includes('after_id=')) expect(asked).toContain(theirSecond);
  }
  for (const { stream, pairs: some } of followed) {
    // In one look with all the others.
    await until(
      () => stream.received.filter(({ data }) => data.includes('"call":"/keys"')).length > 1,
      'The stream does not look again.',
    );
    const last = (call: string) =>
      stream.received.findLast(({ data }) => data.startsWith(`{"call":${JSON.stringify(call)}`));
    for (const [asked = '', absent = ''] of some) {
      const [one, other] = [last(asked), last(absent)].map((message, n) => {
        const answer = message?.data.slice(message.data.indexOf('"answer":'));
        return `${message?.event} ${likeness(answer ?? '', n === 0 ? ours.things : nobodys)}`;
      });
      expect(one ?? '', asked).toBe(other ?? '');
    }
  }
  const all = [...followed.map(({ stream }) => stream), ...before, ...after];
  for (const stream of all) stream.close();
  const told = all.flatMap(({ received }) => received.map(({ data }) => data)).join('\n');
  expect(told).not.toContain(second);
  expect(told).not.toContain(ours.orgId);
  expect(told.replaceAll(/"call":"[^"]*"/g, '')).not.toContain(ours.things.word);
}

const queryOf = (parameters: Readonly<Record<string, string>>): string =>
  `?${new URLSearchParams(parameters)}`;
