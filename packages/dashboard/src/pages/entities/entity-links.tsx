import { Anchor, Autocomplete, Button, Group, Select, Stack, Table, Text, TextInput } from '@mantine/core';
import type { EntityLinkRecord } from '@sluice/contract/entity';
import { Link } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { isSame } from '../../components/form-baseline/changes.ts';
import { LeaveGuard } from '../../components/leave-guard.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { call } from '../../lib/api/call.ts';
import { useChanges, useList } from '../../lib/api/use-call.ts';
import { type EntityName, entityPage, nameOf } from '../../lib/entity-path.ts';
import { dropDraft, useKeptDraft } from '../../lib/kept-draft.ts';
import { useMay } from '../../lib/session.tsx';
import { removeRow } from '../../lib/undo/focus-after-removal.ts';
import { useRemovals } from '../../lib/undo/use-removals.tsx';
import { type EntityLink, isSameEntity, linksOf, pathOfLink, useUnlink } from './use-unlink.ts';

/** The links of an entity, one by one, to be made and removed. */
export function EntityLinks({ name }: { name: EntityName }) {
  const list = useList('GET /entities/:kind/:external_id/links', name);
  const mayChange = useMay()('entities.change');
  return (
    <Stack gap="sm" mt="sm">
      {list.error && <ErrorNotice error={list.error} onRetry={list.refresh} />}
      {list.rows.length > 0 && (
        <Table.ScrollContainer minWidth={340}>
          <Table verticalSpacing={4} aria-label="Links">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Relation</Table.Th>
                <Table.Th>Entity</Table.Th>
                <Table.Th>Linked</Table.Th>
                {mayChange && <Table.Th w={90}>Action</Table.Th>}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {list.rows.map(link => (
                <LinkRow
                  key={[link.relation, nameOf(link.from), nameOf(link.to)].join('\n')}
                  link={link}
                  here={name}
                  mayChange={mayChange}
                />
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      {list.hasMore && (
        <Button
          variant="default"
          size="compact-sm"
          w="fit-content"
          loading={list.isLoadingMore}
          onClick={list.loadMore}
        >
          Show more
        </Button>
      )}
      {mayChange && <AddLink name={name} />}
    </Stack>
  );
}

function LinkRow(props: { link: EntityLinkRecord; here: EntityName; mayChange: boolean }) {
  const { link, here } = props;
  const isOut = isSameEntity(link.from, here);
  const other = isOut ? link.to : link.from;
  const unlink = useUnlink();
  const arrow = link.relation === 'same_as' ? '' : isOut ? ' →' : ' ←';
  return (
    <Table.Tr>
      <Table.Td>
        <span className="mono">{link.relation}</span>
        {arrow}
      </Table.Td>
      <Table.Td style={{ overflowWrap: 'anywhere' }}>
        <Text span size="sm" c="dimmed">
          {other.kind}
        </Text>{' '}
        <Anchor component={Link} to={entityPage(other)} size="sm">
          {other.external_id}
        </Anchor>
      </Table.Td>
      <Table.Td style={{ whiteSpace: 'nowrap' }}>
        <RelativeTime at={link.created_at} />
      </Table.Td>
      {props.mayChange && (
        <Table.Td>
          <Button
            size="compact-xs"
            variant="default"
            aria-label={`Unlink ${link.relation} ${nameOf(other)}`}
            onClick={({ currentTarget }) => removeRow(currentTarget, () => unlink(link, other))}
          >
            Unlink
          </Button>
        </Table.Td>
      )}
    </Table.Tr>
  );
}

const relations = ['same_as', 'member_of', 'owns', 'uses'];
const nothing = { relation: '', kind: '', external_id: '', direction: 'to' };

function AddLink({ name }: { name: EntityName }) {
  const draftName = `link of ${nameOf(name)}`;
  const isTyped = (one: typeof nothing) => !isSame({ ...one, direction: 'to' }, nothing);
  const { draft: given, change: setGiven } = useKeptDraft(draftName, nothing, {
    isFirst: true,
    isChanged: isTyped,
    withoutSecrets: one => one,
  });
  const removals = useRemovals();
  const put = async (wanted: EntityLink) => {
    const removal = removals.pending().find(one => one.hides(linksOf(name), wanted));
    // It is there still, and has only to be shown.
    if (removal && !removal.isUnderWay) return removals.undo(removal.key);
    // Or it would be removed after it was made again.
    await removal?.ended;
    await call(
      'PUT /entities/:kind/:external_id/links/:relation/:to_kind/:to_external_id',
      pathOfLink(wanted),
    );
  };
  const link = useChanges(async ({ wanted, typed }: { wanted: EntityLink; typed: typeof nothing }) => {
    await put(wanted);
    // Before all is read again, which takes a while; what was typed meanwhile stays.
    setGiven(now => (isSame(now, typed) ? { ...nothing, direction: typed.direction } : now));
  });
  const isWhole = given.relation !== '' && given.kind !== '' && given.external_id !== '';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isWhole) return;
    const { relation, direction, ...other } = given;
    const [from, to] = direction === 'to' ? [name, other] : [other, name];
    link.mutate({ wanted: { relation, from, to }, typed: given });
  };
  const change = (changed: Partial<typeof nothing>) => {
    setGiven(before => ({ ...before, ...changed }));
    if (!link.isPending) link.reset();
  };
  return (
    <form onSubmit={submit} aria-label="Add a link">
      <LeaveGuard isUnsaved={() => isTyped(given)} isKept onLeave={() => dropDraft(draftName)} />
      <Group gap="xs" align="flex-end">
        <Autocomplete
          label="Relation"
          size="xs"
          w={130}
          placeholder="member_of"
          data={relations}
          value={given.relation}
          onChange={relation => change({ relation })}
        />
        <Select
          label="Direction"
          size="xs"
          w={90}
          allowDeselect={false}
          data={['to', 'from']}
          value={given.direction}
          onChange={value => change({ direction: value ?? 'to' })}
        />
        <TextInput
          label="Kind"
          size="xs"
          w={130}
          placeholder="company"
          value={given.kind}
          onChange={event => change({ kind: event.currentTarget.value })}
        />
        <TextInput
          label="External id"
          size="xs"
          w={180}
          value={given.external_id}
          onChange={event => change({ external_id: event.currentTarget.value })}
        />
        <Button type="submit" size="xs" variant="default" loading={link.isPending} disabled={!isWhole}>
          Add link
        </Button>
      </Group>
      {link.error && <ErrorNotice error={link.error} />}
    </form>
  );
}
