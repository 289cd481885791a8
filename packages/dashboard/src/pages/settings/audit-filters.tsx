import { Button, Group, Menu } from '@mantine/core';
import { auditActions, auditKinds } from '@sluice/contract/dashboard-audit';
import { IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import { ChoiceFilter } from '../../components/choice-filter.tsx';
import { TimeFilter } from '../../components/time-filter.tsx';
import { asCallError, callFile } from '../../lib/api/call.ts';
import { useCall } from '../../lib/api/use-call.ts';
import { notifyError } from '../../lib/notify-error.ts';
import { type ExportAsked, useExportJob } from '../../lib/use-export-job.ts';
import { useFilters } from '../../lib/use-filters.ts';
import { useTimeRange } from '../../lib/use-time-range.ts';
import { actionLabel } from './audit-labels.ts';
import { saveFile } from './save-file.ts';

/** What the audit log is narrowed by, as the address says it. */
export function useAuditFilter() {
  const [{ actor, action, kind }] = useFilters();
  const { span, ...times } = useTimeRange();
  return { filter: { actor, action, kind, ...times }, span };
}

const isKind = (name: string | undefined): name is keyof typeof auditActions =>
  name !== undefined && Object.hasOwn(auditActions, name);

/** Person, record, action and time; and what is left of the log as a file. */
export function AuditFilters() {
  const { filter } = useAuditFilter();
  const { data: actors = [] } = useCall('GET /audit/actors');
  const people = actors.map(({ actor, actor_name }) => ({
    value: actor,
    label: actor_name === actor ? actor : `${actor_name} (API key)`,
  }));
  const actions = (isKind(filter.kind) ? auditActions[filter.kind] : Object.values(auditActions).flat()).map(
    action => ({ value: action, label: actionLabel(action) }),
  );
  const [isExporting, setExporting] = useState(false);
  const { isStarting, startJob } = useExportJob();
  const exportAs = async (format: 'csv' | 'ndjson') => {
    setExporting(true);
    try {
      saveFile(`audit-log.${format}`, await callFile('GET /audit/export', { ...filter, format }));
    } catch (error) {
      // Only the server knows how many match; more than one response may hold are exported as a job.
      if (asCallError(error).code === 'limit_reached')
        await startJob({ what: 'audit', filter, format } as ExportAsked);
      else notifyError(error);
    } finally {
      setExporting(false);
    }
  };
  return (
    <search aria-label="Filters">
      <Group gap="xs">
        <ChoiceFilter name="actor" label="Person" any="Anyone" choices={people} searchable />
        <ChoiceFilter name="kind" label="Record" any="Any record" choices={auditKinds} />
        <ChoiceFilter name="action" label="Action" any="Any action" choices={actions} searchable />
        <TimeFilter what="Done" isInLine />
        <Menu position="bottom-end">
          <Menu.Target>
            <Button
              variant="default"
              loading={isExporting || isStarting}
              leftSection={<IconDownload size={16} aria-hidden />}
            >
              Export
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {(['csv', 'ndjson'] as const).map(format => (
              <Menu.Item key={format} onClick={() => void exportAs(format)}>
                As {format.toUpperCase()}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      </Group>
    </search>
  );
}
