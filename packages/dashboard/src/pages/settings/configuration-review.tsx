import { Alert, Button, Checkbox, Group, PasswordInput, Stack, Text } from '@mantine/core';
import type {
  AppliedConfiguration,
  ConfigurationDifference,
  MissingSecret,
} from '@sluice/contract/dashboard-configuration';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Card } from '../../components/card.tsx';
import { ConfirmButton } from '../../components/confirm.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { OneTimeSecret } from '../../components/one-time-secret.tsx';
import { PartWaiting } from '../../components/page-states.tsx';
import { type CallError, call } from '../../lib/api/call.ts';
import { useChange } from '../../lib/api/use-call.ts';
import { ConfigurationItems } from './configuration-items.tsx';
import classes from './settings.module.css';

/** What a file would change, what it lacks, and the button that applies it. */
export function ConfigurationReview({ document, onApplied }: { document: string; onApplied(): void }) {
  const [remove, setRemove] = useState(false);
  const [secrets, setSecrets] = useState<Readonly<Record<string, string>>>({});
  const apply = useChange('POST /configuration/apply');
  const difference = useQuery<ConfigurationDifference, CallError>({
    // Not under `call`: what was applied is not compared again by itself.
    queryKey: ['difference', document, remove],
    queryFn: () => call('POST /configuration/difference', { body: { document, remove } }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });
  if (apply.data) return <Applied applied={apply.data} />;
  const { data } = difference;
  if (!data) return <PartWaiting reads={[difference]} />;
  const problems = data.problems;
  if (problems.length > 0) return <Problems problems={problems} />;

  const counts = countsOf(data);
  const isNothing = counts.created + counts.changed + counts.removed === 0;
  const lacking = data.secrets.filter(({ path, can_be_made }) => !can_be_made && !secrets[path]);
  const send = () =>
    apply.mutateAsync(
      {
        body: {
          document,
          remove,
          base: data.base,
          secrets: data.secrets.flatMap(({ path }) => {
            const value = secrets[path];
            return value ? [{ path, value }] : [];
          }),
        },
      },
      {
        onSuccess: onApplied,
        onError: error => {
          if (error.status === 409) void difference.refetch();
        },
      },
    );
  return (
    <Card title="Changes" lead={<span role="status">{inWords(counts)}</span>}>
      <Stack gap="md">
        {apply.error && <ErrorNotice error={apply.error} />}
        <ConfigurationItems items={data.items} />
        {counts.absent + counts.removed > 0 && (
          <Checkbox
            label="Remove what is not in the file"
            description="Sections that the file leaves out are never touched."
            checked={remove}
            onChange={({ currentTarget }) => setRemove(currentTarget.checked)}
          />
        )}
        <Secrets
          missing={data.secrets}
          values={secrets}
          onChange={(path, value) => setSecrets(before => ({ ...before, [path]: value }))}
        />
        <Group gap="xs">
          {counts.removed > 0 ? (
            <ConfirmButton
              label="Apply"
              act="Apply"
              question={`This removes ${counted(counts.removed, 'item')} permanently. Queued deliveries of removed destinations are cancelled.`}
              onConfirm={send}
              button={{ disabled: lacking.length > 0 || difference.isFetching }}
            />
          ) : (
            <Button
              loading={apply.isPending}
              disabled={isNothing || lacking.length > 0 || difference.isFetching}
              onClick={() => void send().catch(() => {})}
            >
              Apply
            </Button>
          )}
          {lacking.length > 0 && (
            <Text size="sm" c="dimmed">
              {counted(lacking.length, 'secret')} missing
            </Text>
          )}
        </Group>
      </Stack>
    </Card>
  );
}

const counted = (n: number, what: string) => `${n} ${what}${n === 1 ? '' : 's'}`;

function countsOf({ items }: ConfigurationDifference) {
  const count = (change: string) => items.filter(item => item.change === change).length;
  return {
    created: count('created'),
    changed: count('changed'),
    unchanged: count('unchanged'),
    removed: count('removed'),
    absent: count('absent'),
  };
}

const inWords = ({ created, changed, unchanged, removed }: ReturnType<typeof countsOf>) =>
  created + changed + removed === 0
    ? 'Nothing would change.'
    : `${created} created · ${changed} changed · ${removed} removed · ${unchanged} unchanged`;

function Problems({ problems }: { problems: ConfigurationDifference['problems'] }) {
  return (
    <Alert color="red" variant="light" title={counted(problems.length, 'problem')} role="alert">
      <Stack gap={6} component="ul" pl="md" m={0}>
        {problems.map(({ line, path, message }) => (
          <li key={`${path} ${message}`}>
            <Text size="sm" className={classes.email}>
              {line !== null && <strong>Line {line}: </strong>}
              {message}
            </Text>
            {path !== '' && (
              <Text size="xs" c="dimmed" className={`mono ${classes.email}`}>
                {path}
              </Text>
            )}
          </li>
        ))}
      </Stack>
    </Alert>
  );
}

function Secrets(props: {
  missing: readonly MissingSecret[];
  values: Readonly<Record<string, string>>;
  onChange(path: string, value: string): void;
}) {
  if (props.missing.length === 0) return null;
  return (
    <Stack gap="sm" maw={560}>
      <Text fw={600} size="sm">
        Secrets
      </Text>
      {props.missing.map(({ path, key, field, can_be_made }) => (
        <PasswordInput
          key={path}
          label={`${key}: ${field}`}
          description={can_be_made ? 'Left empty, one is generated and shown once.' : undefined}
          withAsterisk={!can_be_made}
          autoComplete="new-password"
          value={props.values[path] ?? ''}
          onChange={({ currentTarget }) => props.onChange(path, currentTarget.value)}
        />
      ))}
    </Stack>
  );
}

function Applied({ applied }: { applied: AppliedConfiguration }) {
  const { created, changed, removed, made } = applied;
  return (
    <Card title="Applied" lead={`${created} created · ${changed} changed · ${removed} removed`}>
      <Stack gap="sm">
        {made.map(({ id, key, field, secret }) => (
          <div key={`${id} ${field}`}>
            <Text size="sm" fw={600} mb={4}>
              {key}
            </Text>
            <OneTimeSecret secret={secret} what={field === 'verify_token' ? 'verify token' : 'secret'} />
          </div>
        ))}
      </Stack>
    </Card>
  );
}
