import { Input, SegmentedControl } from '@mantine/core';
import { useId, useState } from 'react';
import { CelEditor } from './cel-editor.tsx';
import { ConditionRows } from './condition-rows.tsx';
import { useKnownFields } from './known-fields.ts';
import { fromCondition, type JoinedRows, toCondition } from './rows.ts';
import { useCheck } from './use-check.ts';

/**
 * A text of CEL, checked as it is written. A condition that has the shape of rows can be written as rows too; an
 * expression of any value has no rows.
 */
export default function ConditionInput(props: {
  label: string;
  description: string | undefined;
  withAsterisk: boolean;
  error: string | null;
  value: string;
  placeholder: string;
  /** Any value, not only true or false. */
  isExpression?: boolean;
  onChange(value: string): void;
}) {
  const { label, value, placeholder, isExpression = false, onChange } = props;
  const id = useId();
  const fields = useKnownFields();
  const check = useCheck(isExpression ? 'expression' : 'condition', value);
  const read = isExpression ? null : fromCondition(value);
  const [mode, setMode] = useState<'rows' | 'cel'>(read === null || value === '' ? 'cel' : 'rows');
  // What is being typed into rows may not be a condition yet; they are kept as long as they are what was written.
  const [typed, setTyped] = useState<JoinedRows | null>(null);
  const rows = typed !== null && toCondition(typed) === value ? typed : read;
  const asRows = mode === 'rows' && rows !== null;
  const isUnfinished = asRows && rows.rows.some(({ field }) => field === '');
  const problem = check === null || check.valid || isUnfinished ? null : describeProblem(check);

  return (
    <Input.Wrapper
      label={label}
      description={props.description}
      withAsterisk={props.withAsterisk}
      labelElement="div"
      error={problem ?? props.error}
      errorProps={{ id, role: 'status' }}
    >
      {!isExpression && (
        <SegmentedControl
          size="xs"
          my={6}
          aria-label={`${label}: how it is written`}
          value={asRows ? 'rows' : 'cel'}
          onChange={chosen => setMode(chosen === 'rows' ? 'rows' : 'cel')}
          data={[
            { value: 'rows', label: 'Builder', disabled: rows === null },
            { value: 'cel', label: 'CEL' },
          ]}
        />
      )}
      {asRows ? (
        <ConditionRows
          rows={rows}
          fields={fields}
          onChange={changed => {
            setTyped(changed);
            onChange(toCondition(changed));
          }}
        />
      ) : (
        <CelEditor
          label={label}
          describedBy={id}
          value={value}
          placeholder={placeholder}
          check={check}
          fields={fields}
          onChange={onChange}
        />
      )}
    </Input.Wrapper>
  );
}

const describeProblem = ({ message, position }: { message: string; position: number }): string =>
  `${message} (at character ${position + 1}).`;
