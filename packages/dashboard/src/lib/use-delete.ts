import type { ChangeRoute } from '@sluice/contract/private-calls';
import { useNavigate } from '@tanstack/react-router';
import { prepareCall } from './api/call.ts';
import type { GivenTo } from './api/path.ts';
import { useRemovals } from './undo/use-removals.tsx';

type RemovalRoute = Extract<ChangeRoute, `DELETE ${string}`>;

interface Deleted {
  /** What it is called. */
  readonly name: string;
  /** Where the rest of its kind is listed, for a page that shows what is gone. */
  readonly to?: string;
  onRemoved?(): void;
}

/** Deletes something so that it can be taken back for a while. */
export function useDelete<R extends RemovalRoute>(
  route: R,
): (given: GivenTo<R>, deleted: Deleted) => Promise<void> {
  const removals = useRemovals();
  const navigate = useNavigate();
  return async (given, { name, to, onRemoved }) => {
    const send = prepareCall(route, given);
    const hides = hiderOf(route, given);
    removals.add({
      message: `“${name}” deleted`,
      hides,
      carryOut: ({ isLeaving }) => send({ keepalive: isLeaving }),
    });
    onRemoved?.();
    // What was typed there is of no use any more.
    if (to !== undefined) await navigate({ to, ignoreBlocker: true });
  };
}

/** `DELETE /sources/:id` hides the row of `/sources` with that id; an entity's has two names. */
function hiderOf(route: RemovalRoute, given: object): (list: string, row: unknown) => boolean {
  const path = route.slice(route.indexOf(' ') + 1);
  const [, list = ''] = /^(.*?)\/:/.exec(path) ?? [];
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  const read = (from: unknown, name: string) => (from as Readonly<Record<string, unknown>>)[name];
  return (of, row) => of === list && names.every(name => read(row, name) === read(given, name));
}
