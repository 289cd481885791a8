import { Anchor, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Card } from '../../components/card.tsx';
import { CopyText } from '../../components/copy.tsx';
import { ExactTime } from '../../components/exact-time.tsx';
import classes from '../../components/facts.module.css';
import { JsonText } from '../../components/json-text.tsx';
import { Page } from '../../components/page.tsx';
import { Waiting } from '../../components/page-states.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { useCall } from '../../lib/api/use-call.ts';
import { usePathId } from '../../lib/use-path-id.ts';
import { actionLabel } from './audit-labels.ts';

/** One entry of the audit log, with all that is known of it. */
export default function AuditEntryPage() {
  const id = usePathId();
  const entry = useCall('GET /audit/:id', { id });
  if (!entry.data) return <Waiting error={entry.error} onRetry={() => void entry.refetch()} />;
  const { action, actor, actor_name, at, target, target_name, target_page, address, details } = entry.data;
  const name = target_name ?? target;
  const label = actionLabel(action);

  return (
    <Page
      title={label}
      lead={
        <Anchor component={Link} to="/settings/audit" size="sm">
          Audit log
        </Anchor>
      }
    >
      <Card>
        <Stack>
          <dl className={classes.facts}>
            {label !== action && (
              <>
                <dt>Action</dt>
                <dd className="mono">{action}</dd>
              </>
            )}
            <dt>Time</dt>
            <dd>
              <ExactTime at={at} /> (<RelativeTime at={at} />)
            </dd>
            <dt>Person</dt>
            <dd>{actor_name === actor ? actor : `${actor_name} (API key)`}</dd>
            <dt>Record</dt>
            <dd>
              {target_page === null ? (
                name
              ) : (
                <Anchor component={Link} to={target_page} size="sm">
                  {name}
                </Anchor>
              )}
              {name !== target && <CopyText text={target} label="Copy id" />}
            </dd>
            {address !== null && (
              <>
                <dt>Address</dt>
                <dd className="numbers">{address}</dd>
              </>
            )}
          </dl>
          {Object.keys(details).length > 0 && (
            <div>
              <Text size="sm" c="dimmed" mb={4}>
                Details
              </Text>
              <JsonText value={details} />
            </div>
          )}
        </Stack>
      </Card>
    </Page>
  );
}
