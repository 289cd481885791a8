import { Button, Menu } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type EventColumnName, type ViewRecord, viewFilterNames } from '@sluice/contract/dashboard-views';
import { IconBookmark } from '@tabler/icons-react';
import { useFormModal } from '../../../components/use-form-modal.ts';
import { useAll, useChange } from '../../../lib/api/use-call.ts';
import { notifyError } from '../../../lib/notify-error.ts';
import { useMay } from '../../../lib/session.tsx';
import { useFilters } from '../../../lib/use-filters.ts';
import { ManageViews } from './manage-views.tsx';
import { SaveView, unnamed } from './save-view.tsx';

type ViewFilters = ViewRecord['filters'];

/** A name may be long and without a space. */
const named = { itemLabel: { minWidth: 0, overflowWrap: 'anywhere' } } as const;

/** Filters and columns that are kept under a name: for oneself, or for the organisation. */
export function ViewMenu(props: {
  columns: readonly EventColumnName[];
  setColumns(names: readonly EventColumnName[]): void;
}) {
  const { columns, setColumns } = props;
  const may = useMay();
  const [filters, change] = useFilters();
  const { data: views = [] } = useAll('GET /views');
  const update = useChange('PATCH /views/:id');
  const saving = useFormModal('view', unnamed);
  const [isManaging, managing] = useDisclosure();
  const byName = views.toSorted((a, b) => a.name.localeCompare(b.name));
  const applied = views.find(({ id }) => id === filters.view);
  const present = filtersOf(filters);
  const isChanged = applied !== undefined && !isLike(applied, present, columns);

  const apply = (view: ViewRecord) => {
    change({
      ...Object.fromEntries(viewFilterNames.map(name => [name, ''])),
      ...view.filters,
      view: view.id,
    });
    setColumns(view.columns);
  };
  const groups = [
    { title: 'Yours', views: byName.filter(({ shared }) => !shared) },
    { title: 'Of the organisation', views: byName.filter(({ shared }) => shared) },
  ];
  return (
    <>
      <Menu position="bottom-end" width={250}>
        <Menu.Target>
          <Button
            variant="default"
            size="compact-sm"
            leftSection={<IconBookmark size={15} aria-hidden />}
            maw={220}
            title={applied?.name}
            styles={{ label: { display: 'block', textOverflow: 'ellipsis' } }}
          >
            {applied ? `${applied.name}${isChanged ? ' (changed)' : ''}` : 'Views'}
          </Button>
        </Menu.Target>
        <Menu.Dropdown mah="60vh" style={{ overflowY: 'auto' }}>
          {groups.map(
            group =>
              group.views.length > 0 && (
                <div key={group.title}>
                  <Menu.Label>{group.title}</Menu.Label>
                  {group.views.map(view => (
                    <Menu.Item
                      key={view.id}
                      aria-current={view.id === applied?.id || undefined}
                      onClick={() => apply(view)}
                      styles={named}
                    >
                      {view.name}
                    </Menu.Item>
                  ))}
                </div>
              ),
          )}
          {views.length > 0 && <Menu.Divider />}
          {applied && isChanged && (!applied.shared || may('views.share')) && (
            <Menu.Item
              styles={named}
              onClick={() =>
                update.mutateAsync({ id: applied.id, body: { filters: present, columns } }).catch(notifyError)
              }
            >
              Update “{applied.name}”
            </Menu.Item>
          )}
          <Menu.Item onClick={saving.open}>Save as a view</Menu.Item>
          {views.length > 0 && <Menu.Item onClick={managing.open}>Manage views</Menu.Item>}
        </Menu.Dropdown>
      </Menu>
      <SaveView
        form={saving}
        filters={present}
        columns={columns}
        onSaved={({ id }) => change({ view: id })}
      />
      <ManageViews isOpen={isManaging} close={managing.close} views={byName} />
    </>
  );
}

const filtersOf = (filters: Readonly<Record<string, string | undefined>>): ViewFilters =>
  Object.fromEntries(
    viewFilterNames.flatMap(name => {
      const value = filters[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );

const isLike = (view: ViewRecord, filters: ViewFilters, columns: readonly string[]): boolean =>
  viewFilterNames.every(name => view.filters[name] === filters[name]) &&
  new Set([...view.columns, ...columns]).size === view.columns.length &&
  view.columns.length === columns.length;
