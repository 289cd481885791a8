import { Anchor, Stack, Table } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Card } from '../../components/card.tsx';
import { CopyText } from '../../components/copy.tsx';
import { JsonText } from '../../components/json-text.tsx';
import { Page } from '../../components/page.tsx';
import { Waiting } from '../../components/page-states.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { useCall } from '../../lib/api/use-call.ts';
import { usePathId } from '../../lib/use-path-id.ts';

const pages: Readonly<Record<string, string>> = {
  evt: '/events/',
  dlv: '/deliveries/',
  src: '/sources/',
  pipe: '/pipelines/',
  dst: '/destinations/',
  job: '/jobs/',
};

/** One entry of the audit log, with all that is known of it. */
export default function AuditEntryPage() {
  const id = usePathId();
  const entry = useCall('GET /audit/:id', { id });
  if (!entry.data) return <Waiting error={entry.error} onRetry={() => void entry.refetch()} />;
  const { action, actor, at, target, details } = entry.data;
  const page = pages[target.split('_')[0] ?? ''];

  return (
    <Page
      title={action}
      lead={
        <Anchor component={Link} to="/settings/audit" size="sm">
          Audit log
        </Anchor>
      }
    >
      <Card>
        <Stack>
          <Table withRowBorders={false} layout="fixed">
            <Table.Tbody>
              <Table.Tr>
                <Table.Th w={110}>When</Table.Th>
                <Table.Td>
                  <RelativeTime at={at} /> ({at})
                </Table.Td>
              </Table.Tr>
              <Table.Tr>
                <Table.Th>Who</Table.Th>
                <Table.Td>{actor}</Table.Td>
              </Table.Tr>
              <Table.Tr>
                <Table.Th>To what</Table.Th>
                <Table.Td>
                  <CopyText text={target} label="Copy the id" />
                  {page && (
                    <Anchor component={Link} to={`${page}${target}`} size="sm">
                      Open it
                    </Anchor>
                  )}
                </Table.Td>
              </Table.Tr>
            </Table.Tbody>
          </Table>
          {Object.keys(details).length > 0 && <JsonText value={details} />}
        </Stack>
      </Card>
    </Page>
  );
}
