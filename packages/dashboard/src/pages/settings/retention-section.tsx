import { Button, Group, NumberInput, Stack, TagsInput, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import type { OrganisationRecord } from '@sluice/contract/dashboard-accounts';
import { Card } from '../../components/card.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Loading } from '../../components/page-states.tsx';
import { useCall, useChange } from '../../lib/api/use-call.ts';
import { errorAt } from '../../lib/field-error.ts';
import { useMay, useSession } from '../../lib/session.tsx';

const MOST_DAYS = 36_500;
const MOST_TRAITS = 32;

/** How long events are kept, and which traits of entities can be searched by quickly. */
export function RetentionSection() {
  const { id } = useSession().organisation;
  const organisation = useCall('GET /organisations/:id', { id });
  const mayChange = useMay()('settings.change');

  if (organisation.error) {
    return <ErrorNotice error={organisation.error} onRetry={() => void organisation.refetch()} />;
  }
  if (!organisation.data) return <Loading />;
  return mayChange ? (
    <RetentionForm key={organisation.data.id} organisation={organisation.data} />
  ) : (
    <Shown organisation={organisation.data} />
  );
}

function Shown({ organisation }: { organisation: OrganisationRecord }) {
  const traits = organisation.searchable_traits;
  return (
    <Card title="Retention">
      <Stack gap="xs">
        <Text size="sm">
          Events are kept for {organisation.retention_days ?? organisation.default_retention_days} days.
        </Text>
        <Text size="sm">
          {traits.length === 0
            ? 'No trait of entities is indexed for search.'
            : `Traits indexed for search: ${traits.join(', ')}.`}
        </Text>
      </Stack>
    </Card>
  );
}

function RetentionForm({ organisation }: { organisation: OrganisationRecord }) {
  const change = useChange('PATCH /organisations/:id');
  const form = useForm<{ days: number | ''; traits: string[] }>({
    initialValues: {
      days: organisation.retention_days ?? '',
      traits: [...organisation.searchable_traits],
    },
    validate: {
      days: days =>
        days === '' && organisation.retention_days !== null
          ? `Enter a number of days; the default is ${organisation.default_retention_days}.`
          : null,
    },
  });
  const submit = form.onSubmit(({ days, traits }) =>
    change.mutate(
      {
        id: organisation.id,
        body: { ...(days === '' ? {} : { retention_days: days }), searchable_traits: traits },
      },
      {
        onSuccess: () => {
          form.resetDirty();
          notifications.show({ message: 'Saved.' });
        },
      },
    ),
  );
  const atDays = errorAt(change.error, 'retention_days');
  const atTraits = change.error?.path?.startsWith('searchable_traits') ? change.error.message : null;

  return (
    <Card title="Retention">
      <form onSubmit={submit} noValidate>
        <Stack>
          <NumberInput
            label="Days to keep events"
            description={`The default of this installation is ${organisation.default_retention_days}. What is still to be delivered stays; dead letters stay longer.`}
            placeholder={String(organisation.default_retention_days)}
            min={1}
            max={MOST_DAYS}
            allowDecimal={false}
            maw={560}
            {...form.getInputProps('days')}
            error={form.errors.days ?? atDays}
          />
          <TagsInput
            label="Searchable traits"
            description="Indexed, such as plan or address.city. Other traits can be searched too, only more slowly."
            placeholder="A path, then Enter"
            maxTags={MOST_TRAITS}
            maw={560}
            {...form.getInputProps('traits')}
            error={atTraits}
          />
          {change.error && !atDays && !atTraits && <ErrorNotice error={change.error} />}
          <Group>
            <Button type="submit" loading={change.isPending} disabled={!form.isDirty()}>
              Save
            </Button>
          </Group>
        </Stack>
      </form>
    </Card>
  );
}
