import { Button, Group } from '@mantine/core';
import type { EntityRecord } from '@sluice/contract/entity';
import { IconFilter } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { Empty } from '../../components/empty.tsx';
import { Page } from '../../components/page.tsx';
import { PagedList } from '../../components/paged-list.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import type { Column } from '../../components/rows.tsx';
import { TextFilter } from '../../components/text-filter.tsx';
import { stringifyExact } from '../../lib/api/exact-json.ts';
import { useList } from '../../lib/api/use-call.ts';
import { useLiveList } from '../../lib/api/use-live-list.ts';
import { entityPage } from '../../lib/entity-path.ts';
import { useMay } from '../../lib/session.tsx';
import { commandAskingForKey } from '../../lib/shell-command.ts';
import { useFilters } from '../../lib/use-filters.ts';
import { NewEntity } from './new-entity.tsx';

const keyOf = ({ kind, external_id }: EntityRecord) => `${kind} ${external_id}`;

const columns: readonly Column<EntityRecord>[] = [
  { header: 'Kind', width: 'minmax(90px, 150px)', cell: ({ kind }) => kind },
  {
    header: 'External id',
    width: 'minmax(140px, 260px)',
    cell: entity => (
      <Link to={entityPage(entity)} className="mono">
        {entity.external_id}
      </Link>
    ),
  },
  {
    header: 'Traits',
    width: 'minmax(120px, 1fr)',
    cell: ({ traits }) => <span className="mono">{stringifyExact(traits, 0)}</span>,
    onlyWide: true,
  },
  { header: 'Version', width: '70px', cell: ({ version }) => version, onlyWide: true },
  { header: 'Updated', width: '110px', cell: ({ updated_at }) => <RelativeTime at={updated_at} /> },
];

/** `plan=pro` asks for the trait `plan`; a dotted path for one further inside. */
function toQuery(filters: Readonly<Record<string, string | undefined>>) {
  const { kind, external_id, trait } = filters;
  const equals = trait?.indexOf('=') ?? -1;
  return {
    kind,
    external_id,
    ...(trait !== undefined && equals > 0
      ? { [`trait.${trait.slice(0, equals).trim()}`]: trait.slice(equals + 1).trim() }
      : {}),
  };
}

/** Who and what events are about: searched by kind, by id and by a trait. */
export default function EntitiesPage() {
  const [filters] = useFilters();
  const may = useMay();
  const query = toQuery(filters);
  const list = useList('GET /entities', query);
  useLiveList(list, 'GET /entities', query, one => `${keyOf(one)} ${one.version}`);
  const isFiltered = Object.keys(filters).length > 0;

  return (
    <Page
      title="Entities"
      lead="Who and what your events are about, and how they are related."
      actions={may('entities.change') && <NewEntity />}
      fill
    >
      <EntityFilters />
      <PagedList
        label="Entities"
        list={list}
        columns={columns}
        keyOf={keyOf}
        pageOf={entityPage}
        empty={isFiltered ? <NoneLikeThat /> : <NoneYet />}
      />
    </Page>
  );
}

const NoneLikeThat = () => (
  <Empty
    sentence="No entities match. Search traits by their exact value: plan=pro."
    action={
      <Button component={Link} to="/entities" variant="default">
        Show all
      </Button>
    }
  />
);

const NoneYet = () => (
  <Empty
    sentence="No entities yet. Create one here or through the API; events then refer to it."
    action={
      <Button component="a" href="/docs">
        View API reference
      </Button>
    }
    command={commandAskingForKey({
      method: 'PUT',
      url: `${window.location.origin}/v1/entities/customer/c_42`,
      body: { traits: { plan: 'pro', seats: 5 } },
    })}
  />
);

const small = { size: 'xs', leftSection: <IconFilter size={13} aria-hidden /> } as const;

function EntityFilters() {
  const [{ trait }] = useFilters();
  const isWhole = trait === undefined || trait.indexOf('=') > 0;
  return (
    <Group gap="xs" align="flex-end">
      <TextFilter name="kind" label="Kind" placeholder="customer" w={150} {...small} isFirst />
      <TextFilter name="external_id" label="External id" placeholder="c_42" w={200} {...small} />
      <TextFilter
        name="trait"
        label="Trait"
        placeholder="plan=pro"
        w={220}
        error={isWhole ? null : 'Include its value: plan=pro'}
        {...small}
      />
    </Group>
  );
}
