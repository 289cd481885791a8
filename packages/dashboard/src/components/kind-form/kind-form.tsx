import { Fieldset, SegmentedControl, Stack, Text } from '@mantine/core';
import { Input } from './inputs.tsx';
import {
  type Config,
  emptyVariant,
  fieldKindOf,
  type Schema,
  titleOf,
  variantName,
  variantOf,
  variantsOf,
} from './schema.ts';

/** What is wrong with a field, by its path: `model.base_url`. */
export type Problems = Readonly<Record<string, string>>;

/**
 * The form of any kind of step or destination, drawn from the JSON Schema of its configuration. A new kind needs no
 * code here. Fields that are left empty are left out, so that the kind's own default holds.
 */
export function KindForm(props: {
  schema: Schema;
  value: Config;
  onChange(value: Config): void;
  problems?: Problems;
  disabled?: boolean;
}) {
  const { schema, value, onChange, problems = {}, disabled = false } = props;
  return (
    <Shape
      schema={schema}
      value={value}
      onChange={onChange}
      problems={problems}
      disabled={disabled}
      path=""
    />
  );
}

interface Part {
  readonly schema: Schema;
  readonly value: Config;
  onChange(value: Config): void;
  readonly problems: Problems;
  readonly disabled: boolean;
  /** Where this part stands: '' for the whole. */
  readonly path: string;
  readonly label?: string;
}

const Shape = (part: Part) =>
  variantsOf(part.schema).length > 0 ? <Variants {...part} /> : <Fields {...part} />;

/** A configuration that may have several shapes: which one, and then its fields. */
function Variants({ schema, label, ...part }: Part) {
  const variants = variantsOf(schema);
  const chosen = variantOf(variants, part.value);
  const variant = variants[chosen];
  return (
    <Stack gap="md">
      <div>
        {label && (
          <Text size="sm" fw={500} mb={4}>
            {label}
          </Text>
        )}
        <SegmentedControl
          aria-label={label ?? 'Form'}
          value={String(chosen)}
          onChange={index => part.onChange(emptyVariant(variants[Number(index)] ?? {}))}
          disabled={part.disabled}
          data={variants.map((each, index) => ({ value: String(index), label: variantName(each) }))}
        />
      </div>
      {variant && <Fields schema={variant} {...part} />}
    </Stack>
  );
}

/** The fields of an object, one under the other. */
function Fields({
  schema: { properties = {}, required = [] },
  value,
  onChange,
  problems,
  disabled,
  path,
}: Part) {
  const fields = Object.entries(properties).filter(([, { const: word }]) => word === undefined);
  return (
    <Stack gap="md">
      {fields.map(([name, schema]) => {
        const place = path === '' ? name : `${path}.${name}`;
        const label = titleOf(name, schema);
        const change = (given: unknown) => onChange(withField(value, name, given));
        if (isShape(schema)) {
          const inner = (value[name] ?? schema.default ?? {}) as Config;
          const part = { schema, value: inner, onChange: change, problems, disabled, path: place };
          return variantsOf(schema).length > 0 ? (
            <Variants key={name} {...part} label={label} />
          ) : (
            <Fieldset key={name} legend={label}>
              <Fields {...part} />
            </Fieldset>
          );
        }
        return (
          <Input
            key={name}
            schema={schema}
            label={label}
            required={required.includes(name)}
            value={value[name]}
            onChange={change}
            problem={problems[place] ?? null}
            disabled={disabled}
          />
        );
      })}
    </Stack>
  );
}

const isShape = (schema: Schema): boolean => ['group', 'variants'].includes(fieldKindOf(schema));

function withField(value: Config, name: string, given: unknown): Config {
  const { [name]: _before, ...rest } = value;
  return given === undefined ? rest : { ...rest, [name]: given };
}
