import {
  ActionIcon,
  Autocomplete,
  Button,
  Group,
  SegmentedControl,
  Select,
  Stack,
  TagsInput,
  TextInput,
} from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import classes from './condition-rows.module.css';
import type { KnownField } from './known-fields.ts';
import { type Literal, readLiteral, showLiteral } from './row-text.ts';
import { type JoinedRows, type Operator, operators, type Row } from './rows.ts';

const choices = Object.entries(operators).map(([value, { label }]) => ({ value, label }));
const emptyRow: Row = { field: '', operator: '==', values: [{ kind: 'text', text: '' }] };

/** A condition as rows of field, operator and value. */
export function ConditionRows(props: {
  rows: JoinedRows;
  fields: readonly KnownField[];
  onChange(rows: JoinedRows): void;
}) {
  const { rows, fields, onChange } = props;
  const change = (changed: readonly Row[]) => onChange({ ...rows, rows: changed });
  return (
    <Stack gap={8}>
      {rows.rows.length > 1 && (
        <SegmentedControl
          size="xs"
          w="fit-content"
          aria-label="How the rows are joined"
          value={rows.join}
          onChange={join => onChange({ ...rows, join: join === 'or' ? 'or' : 'and' })}
          data={[
            { value: 'and', label: 'All of these' },
            { value: 'or', label: 'Any of these' },
          ]}
        />
      )}
      {rows.rows.map((row, index) => (
        <RowInputs
          // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place; its field is being typed
          key={index}
          row={row}
          number={index + 1}
          fields={fields}
          onChange={changed => change(rows.rows.map((each, i) => (i === index ? changed : each)))}
          onRemove={() => change(rows.rows.filter((_, i) => i !== index))}
        />
      ))}
      <Button
        variant="subtle"
        size="compact-sm"
        w="fit-content"
        leftSection={<IconPlus size={14} aria-hidden />}
        onClick={() => change([...rows.rows, emptyRow])}
      >
        Add row
      </Button>
    </Stack>
  );
}

function RowInputs(props: {
  row: Row;
  number: number;
  fields: readonly KnownField[];
  onChange(row: Row): void;
  onRemove(): void;
}) {
  const { row, number, fields, onChange } = props;
  const { takes } = operators[row.operator];
  const first = row.values[0];
  return (
    <Group gap={6} wrap="nowrap" align="flex-start" className={classes.row}>
      <Autocomplete
        className={classes.field}
        aria-label={`Row ${number}: field`}
        placeholder="payload.total"
        data={[...new Set(fields.map(({ path }) => path))]}
        limit={40}
        value={row.field}
        onChange={field => onChange({ ...row, field })}
      />
      <Select
        className={classes.operator}
        aria-label={`Row ${number}: operator`}
        data={choices}
        value={row.operator}
        allowDeselect={false}
        onChange={operator => operator && onChange(withOperator(row, operator as Operator))}
      />
      {takes === 'values' && (
        <TagsInput
          className={classes.value}
          aria-label={`Row ${number}: values`}
          placeholder={'Type and press Enter'}
          value={row.values.map(showLiteral)}
          acceptValueOnBlur
          onChange={given => onChange({ ...row, values: given.map(readLiteral) })}
        />
      )}
      {(takes === 'a value' || takes === 'a text') && (
        <TextInput
          className={classes.value}
          aria-label={`Row ${number}: value`}
          value={first ? shown(takes, first) : ''}
          onChange={event => onChange({ ...row, values: [read(takes, event.currentTarget.value)] })}
        />
      )}
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        aria-label={`Remove row ${number}`}
        onClick={props.onRemove}
      >
        <IconX size={15} aria-hidden />
      </ActionIcon>
    </Group>
  );
}

/** Where only a text makes sense, `42` is one. */
const shown = (takes: 'a value' | 'a text', value: Literal) =>
  takes === 'a text' ? value.text : showLiteral(value);
const read = (takes: 'a value' | 'a text', text: string): Literal =>
  takes === 'a text' ? { kind: 'text', text } : readLiteral(text);

function withOperator(row: Row, operator: Operator): Row {
  const [first = { kind: 'text', text: '' } as const] = row.values;
  const values = {
    nothing: [],
    'a value': [first],
    'a text': [{ kind: 'text', text: first.text } as const],
    values: row.values.filter(({ text }) => text !== ''),
  }[operators[operator].takes];
  return { ...row, operator, values };
}
