import { Alert, Autocomplete, Badge, Button, Group, Input, Stack, Table, Text } from '@mantine/core';
import type { TableColumnsRecord } from '@sluice/contract/dashboard-deliveries';
import type { ConfigSchema } from '@sluice/contract/dashboard-kinds';
import { IconTableSpark } from '@tabler/icons-react';
import { Command } from '../../components/copy.tsx';
import { readValue, showValue } from '../../components/kind-form/pairs.ts';
import { PairsInput } from '../../components/kind-form/pairs-input.tsx';
import { problemsOf } from '../../components/kind-form/problems.ts';
import type { Config } from '../../components/kind-form/schema.ts';
import { InlineCode } from '../../components/prose.tsx';
import { useChange } from '../../lib/api/use-call.ts';
import { defaultFits, references, suggestMapping } from './column-mapping.ts';

interface Props {
  readonly schema: ConfigSchema;
  readonly label: string;
  readonly value: unknown;
  onChange(value: unknown): void;
  readonly problem: string | null;
  readonly kind: string;
  readonly config: Config;
  readonly id?: string;
}

/** What goes into each column: rows to fill in, or, once somebody has looked, the columns that the table has. */
export function TableColumns(props: Props) {
  const { schema, label, value, onChange, problem, kind, id } = props;
  const look = useChange('POST /destinations/columns');
  const { columns: _mapping, ...config } = props.config;
  const description = schema.description && <InlineCode text={schema.description} />;
  const isReady = config.connection_string !== undefined && config.table !== undefined;
  const found = look.data;
  const refusal = Object.values(problemsOf(look.error, 'config'))[0] ?? look.error?.message;
  return (
    <Stack gap="xs">
      {found?.exists ? (
        <Input.Wrapper label={label} description={description} error={problem}>
          <Mapping found={found} value={value} onChange={onChange} />
        </Input.Wrapper>
      ) : (
        <PairsInput
          label={label}
          description={description}
          withAsterisk={false}
          areTexts={false}
          error={problem}
          value={value}
          onChange={onChange}
        />
      )}
      {found && !found.exists && <NoTable found={found} />}
      {refusal && (
        <Alert color="red" variant="light" role="alert">
          {refusal}
        </Alert>
      )}
      <Group gap="sm">
        <Button
          variant="default"
          size="xs"
          leftSection={<IconTableSpark size={15} aria-hidden />}
          disabled={!isReady}
          loading={look.isPending}
          onClick={() => look.mutate({ body: { kind, config, id } })}
        >
          {found ? 'Reload columns' : 'Load columns'}
        </Button>
        {!isReady && (
          <Text size="xs" c="dimmed">
            Enter a connection string and a table to load its columns.
          </Text>
        )}
      </Group>
    </Stack>
  );
}

const NoTable = ({ found }: { found: TableColumnsRecord }) => (
  <Alert color="gray" variant="light" title={`Table ${found.table} does not exist`}>
    <Text size="sm" mb="xs">
      Sluice never creates tables. Run this in your database for one that needs no mapping, then reload.
    </Text>
    <Command text={found.ddl} />
  </Alert>
);

type Columns = Readonly<Record<string, unknown>>;

function Mapping(props: { found: TableColumnsRecord; value: unknown; onChange(value: unknown): void }) {
  const { found, onChange } = props;
  const own = props.value as Columns | undefined;
  const fits = defaultFits(found);
  const mapping = own ?? (fits ? found.default_columns : {});
  const change = (name: string, text: string) => {
    const { [name]: _before, ...rest } = mapping;
    onChange(text === '' ? rest : { ...rest, [name]: readValue(text) });
  };
  return (
    <Stack gap="xs" mt={6}>
      {!found.may_insert && (
        <Alert color="red" variant="light">
          This user may not insert into {found.table}. Grant it the INSERT privilege.
        </Alert>
      )}
      <Text size="sm">{describeMapping(own, fits)}</Text>
      <Table.ScrollContainer minWidth={420}>
        <Table verticalSpacing={6}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Column</Table.Th>
              <Table.Th>Type</Table.Th>
              <Table.Th>Value</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {found.columns.map(column => (
              <Table.Tr key={column.name}>
                <Table.Td>
                  <Group gap={6}>
                    <span className="mono">{column.name}</span>
                    {column.required && <Mark word="required" />}
                    {column.unique && <Mark word="unique" />}
                  </Group>
                </Table.Td>
                <Table.Td className="mono">{column.type}</Table.Td>
                <Table.Td>
                  {column.generated ? (
                    <Text size="sm" c="dimmed">
                      Filled in by the database.
                    </Text>
                  ) : (
                    <Autocomplete
                      size="xs"
                      aria-label={`Value of ${column.name}`}
                      placeholder="NULL, or its default"
                      data={[...references]}
                      value={column.name in mapping ? showValue(mapping[column.name]) : ''}
                      onChange={text => change(column.name, text)}
                    />
                  )}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <Group gap="xs">
        <Button variant="subtle" size="compact-sm" onClick={() => onChange(suggestMapping(found))}>
          Suggest a mapping
        </Button>
        {own !== undefined && fits && (
          <Button variant="subtle" size="compact-sm" onClick={() => onChange(undefined)}>
            Use the default mapping
          </Button>
        )}
      </Group>
    </Stack>
  );
}

const Mark = ({ word }: { word: string }) => (
  <Badge size="xs" color="gray" tt="none">
    {word}
  </Badge>
);

function describeMapping(own: Columns | undefined, fits: boolean): string {
  if (own !== undefined) return 'This mapping applies. Columns without a value are left to the database.';
  return fits
    ? 'The default mapping fits this table. Edit a row to use a custom mapping.'
    : 'The default mapping does not fit this table, so it needs a mapping of its own.';
}
