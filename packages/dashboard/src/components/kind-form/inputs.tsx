import {
  Checkbox,
  MultiSelect,
  NumberInput,
  Select,
  Switch,
  TagsInput,
  Textarea,
  TextInput,
} from '@mantine/core';
import type { ConfigSchema } from '@sluice/contract/dashboard-kinds';
import { type ReactNode, Suspense } from 'react';
import { lazily } from '../../lib/lazily.ts';
import { InlineCode } from '../prose.tsx';
import { JsonInput } from './json-input.tsx';
import { PairsInput } from './pairs-input.tsx';
import { fieldKindOf } from './schema.ts';
import { SecretInput } from './secret-input.tsx';

/** The editor of conditions is large: it comes when a form first asks for a condition. */
const ConditionInput = lazily(() => import('../condition/condition-input.tsx'));

interface InputProps {
  readonly schema: ConfigSchema;
  readonly label: string;
  readonly required: boolean;
  readonly value: unknown;
  /** `undefined` leaves the field out. */
  onChange(value: unknown): void;
  readonly problem: string | null;
}

/** One field, asked for in the way that fits its schema. */
export function Input({ schema, label, required, value, onChange, problem }: InputProps) {
  const common = {
    label,
    description: schema.description && <InlineCode text={schema.description} />,
    withAsterisk: required,
    error: problem,
  };
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  const example = schema.examples?.[0] ?? schema.default;
  const placeholder = typeof example === 'string' || typeof example === 'number' ? String(example) : '';
  const changeText = (given: string) => onChange(given === '' ? undefined : readText(schema, given));

  const kind = fieldKindOf(schema);
  switch (kind) {
    case 'secret':
      return <SecretInput {...common} placeholder={placeholder} value={value} onChange={onChange} />;
    case 'condition':
    case 'expression':
      return (
        <Suspense fallback={<TextInput {...common} value={text} readOnly />}>
          <ConditionInput
            {...common}
            description={schema.description}
            value={text}
            placeholder={placeholder}
            isExpression={kind === 'expression'}
            onChange={changeText}
          />
        </Suspense>
      );
    case 'long text':
      return (
        <Textarea
          {...common}
          autosize
          minRows={2}
          maxRows={12}
          value={text}
          placeholder={placeholder}
          onChange={event => changeText(event.currentTarget.value)}
        />
      );
    case 'number':
      return (
        <NumberInput
          {...common}
          value={typeof value === 'number' ? value : ''}
          placeholder={placeholder}
          min={schema.minimum}
          max={schema.maximum}
          clampBehavior="none"
          allowDecimal={schema.type !== 'integer'}
          onChange={given => onChange(given === '' ? undefined : Number(given))}
        />
      );
    case 'flag':
      return (
        <Switch
          label={label}
          description={common.description}
          checked={value === true || (value === undefined && schema.default === true)}
          onChange={event => onChange(event.currentTarget.checked)}
        />
      );
    case 'choice':
      return (
        <Select
          {...common}
          data={[...(schema.enum ?? [])]}
          value={typeof value === 'string' ? value : ((schema.default as string | undefined) ?? null)}
          onChange={given => onChange(given ?? undefined)}
          allowDeselect={!required}
        />
      );
    case 'choices':
      return <Choices {...common} schema={schema} value={value} onChange={onChange} />;
    case 'texts':
      return (
        <TagsInput
          {...common}
          value={listOf(value ?? schema.default)}
          onChange={given => onChange(given)}
          placeholder={'Type and press Enter'}
          acceptValueOnBlur
        />
      );
    case 'numbers':
      return (
        <TagsInput
          {...common}
          value={listOf(value ?? schema.default)}
          onChange={given => onChange(given.map(Number).filter(Number.isFinite))}
          placeholder={'Type and press Enter'}
          acceptValueOnBlur
          allowDuplicates
        />
      );
    case 'pairs':
      return <PairsInput {...common} areTexts={holdsTexts(schema)} value={value} onChange={onChange} />;
    case 'json':
    case 'group':
    case 'variants':
      return <JsonInput {...common} value={value} onChange={onChange} />;
    case 'text':
      return (
        <TextInput
          {...common}
          value={text}
          placeholder={placeholder}
          onChange={event => changeText(event.currentTarget.value)}
        />
      );
  }
}

type Common = Pick<InputProps, 'label' | 'value' | 'onChange'> & {
  readonly description: ReactNode;
  readonly withAsterisk: boolean;
  readonly error: string | null;
};

/** A few words to choose from are best seen all at once. */
function Choices({ schema, value, onChange, label, description, error }: Common & { schema: ConfigSchema }) {
  const chosen = listOf(value ?? schema.default);
  const choices = schema.items?.enum ?? [];
  if (choices.length > 12) {
    return <MultiSelect label={label} data={[...choices]} value={chosen} onChange={onChange} error={error} />;
  }
  return (
    <Checkbox.Group label={label} description={description} error={error} value={chosen} onChange={onChange}>
      <div style={{ display: 'flex', flexWrap: 'wrap', gap: '0.75rem', marginTop: 6 }}>
        {choices.map(choice => (
          <Checkbox key={choice} value={choice} label={choice} />
        ))}
      </div>
    </Checkbox.Group>
  );
}

const holdsTexts = ({ additionalProperties }: ConfigSchema): boolean =>
  typeof additionalProperties === 'object' && additionalProperties.type === 'string';

const listOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

/** Where a field takes a whole number or a text, what is written as a number is one. */
const readText = (schema: ConfigSchema, text: string): unknown =>
  schema.anyOf?.some(({ type }) => type === 'integer') && /^-?\d{1,15}$/.test(text) ? Number(text) : text;
