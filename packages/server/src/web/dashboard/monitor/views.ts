import type { ViewRecord } from '@sluice/contract/dashboard-views';
import { type Clock, toRfc3339 } from '../../../core/clock.ts';
import { Problem } from '../../../core/errors.ts';
import { newId } from '../../../core/ids.ts';
import type { SavedView } from '../../../core/stores/configuration/views.ts';
import type { ConfigurationStore } from '../../../core/stores/configuration.ts';
import { pageOf } from '../../paging.ts';
import type { Calls } from '../calls.ts';
import type { SessionCall } from '../exchange.ts';
import { requirePermission } from '../permissions.ts';
import { newestFirst } from '../records.ts';

/** Of each person, and of each organisation. */
const MOST_VIEWS = 50;

/** Saved views of the list of events. One's own are for oneself; those of the organisation take a member to change. */
export function viewCalls(
  calls: Calls,
  {
    configuration,
    clock,
  }: {
    readonly configuration: Pick<ConfigurationStore, 'audited' | 'findView' | 'listViews'>;
    readonly clock: Clock;
  },
): void {
  async function find({ session, param }: SessionCall<'id'>): Promise<SavedView> {
    const view = await configuration.findView(session.orgId, session.userId, param('id'));
    if (view === null) throw new Problem('not_found');
    return view;
  }

  /** Read again once the body is there: whoever may change it then is asked then. */
  async function findOwn(call: SessionCall<'id'>): Promise<SavedView> {
    const view = await find(call);
    if (view.userId === null) requirePermission(call.session.role, 'views.share');
    return view;
  }

  calls.on('GET /views', 'read', async call => {
    const page = call.page('views', call.query());
    const { orgId, userId } = call.session;
    const { rows, next } = pageOf(await configuration.listViews(orgId, userId), newestFirst, page);
    return page.answer(rows.map(showView), next);
  });

  calls.on('POST /views', 'views.save', async call => {
    const { name, shared, filters, columns } = await call.body();
    const { orgId, userId, role } = call.session;
    if (shared) requirePermission(role, 'views.share');
    const at = clock.now();
    const view: SavedView = {
      id: newId('view', at),
      orgId,
      userId: shared ? null : userId,
      name,
      filters,
      columns,
      createdAt: at,
      updatedAt: at,
    };
    const changes = configuration.audited(call.record('view.created', view.id, recorded(view)));
    if ((await changes.createView(view, MOST_VIEWS)) === 'too_many')
      throw new Problem('limit_reached', {
        message: `There are ${MOST_VIEWS} views already. Delete one that is not needed.`,
      });
    return call.answer(showView(view), 201);
  });

  calls.on('PATCH /views/:id', 'views.save', async call => {
    await findOwn(call);
    const change = await call.body();
    const view = await findOwn(call);
    const { id } = view;
    const { orgId, userId } = call.session;
    const changes = configuration.audited(call.record('view.changed', id, recorded({ ...view, ...change })));
    if (!(await changes.changeView(orgId, userId, id, change, clock.now()))) throw new Problem('not_found');
    return call.answer(showView(await find(call)));
  });

  calls.on('DELETE /views/:id', 'views.save', async call => {
    const view = await findOwn(call);
    const { id } = view;
    const changes = configuration.audited(call.record('view.deleted', id, recorded(view)));
    if (!(await changes.deleteView(call.session.orgId, call.session.userId, id)))
      throw new Problem('not_found');
    return call.answer({ id, deleted: true });
  });
}

/** Everybody reads the audit log: what people call their own views does not stand there. */
const recorded = ({ name, userId }: Pick<SavedView, 'name' | 'userId'>) =>
  userId === null ? { name, shared: true } : { shared: false };

const showView = (view: SavedView): ViewRecord => ({
  id: view.id,
  name: view.name,
  shared: view.userId === null,
  filters: view.filters,
  columns: view.columns as ViewRecord['columns'],
  created_at: toRfc3339(view.createdAt),
  updated_at: toRfc3339(view.updatedAt),
});
