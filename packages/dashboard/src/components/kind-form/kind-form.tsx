import { Fieldset, SegmentedControl, Stack, Text } from '@mantine/core';
import type { ConfigSchema } from '@sluice/contract/dashboard-kinds';
import { Fragment, type ReactNode, useState } from 'react';
import { Input } from './inputs.tsx';
import { type Problems, problemAt } from './problems.ts';
import {
  askedFields,
  beginVariant,
  type Config,
  fieldKindOf,
  titleOf,
  variantName,
  variantOf,
  variantsOf,
} from './schema.ts';

/** Draws a field for which its kind names an aid. */
type Aid = (field: {
  readonly schema: ConfigSchema;
  readonly label: string;
  readonly value: unknown;
  onChange(value: unknown): void;
  readonly problem: string | null;
}) => ReactNode;

/** By the word that the schema says: `table_columns`. */
export type Aids = Readonly<Record<string, Aid>>;

/**
 * The form of any kind of step or destination, drawn from the JSON Schema of its configuration. A new kind needs no
 * code here. Fields that are left empty are left out, so that the kind's own default holds. Fields keep what is being
 * typed: whoever puts quite another value in gives the form another `key`.
 */
export function KindForm(props: {
  schema: ConfigSchema;
  value: Config;
  onChange(value: Config): void;
  problems?: Problems;
  aids?: Aids;
}) {
  const { schema, value, onChange, problems = {}, aids = {} } = props;
  return <Shape schema={schema} value={value} onChange={onChange} problems={problems} aids={aids} path="" />;
}

interface Part {
  readonly schema: ConfigSchema;
  readonly value: Config;
  onChange(value: Config): void;
  readonly problems: Problems;
  readonly aids: Aids;
  /** Where this part stands: '' for the whole. */
  readonly path: string;
  readonly label?: string;
}

const Shape = (part: Part) =>
  variantsOf(part.schema).length > 0 ? <Variants {...part} /> : <Fields {...part} />;

/**
 * A configuration that may have several shapes: which one, and then its fields. What was filled into a shape is
 * there again when somebody comes back to it, the mark of a kept secret too.
 */
function Variants({ schema, label, ...part }: Part) {
  const variants = variantsOf(schema);
  const [picked, setPicked] = useState(0);
  const [left, setLeft] = useState<Readonly<Record<number, Config>>>({});
  const chosen = variantOf(variants, part.value, picked);
  const variant = variants[chosen] ?? {};
  const choose = (index: number) => {
    setPicked(index);
    setLeft({ ...left, [chosen]: part.value });
    part.onChange(left[index] ?? beginVariant(variants[index] ?? {}, variant, part.value));
  };
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
          onChange={index => choose(Number(index))}
          data={variants.map((each, index) => ({ value: String(index), label: variantName(each) }))}
        />
      </div>
      <Fields key={chosen} schema={variant} {...part} />
    </Stack>
  );
}

/** The fields of an object, one under the other. */
function Fields({ schema: shape, value, onChange, problems, aids, path }: Part) {
  const fields = askedFields(shape);
  if (fields.length === 0) return null;
  return (
    <Stack gap="md">
      {fields.map(([name, schema]) => {
        const place = path === '' ? name : `${path}.${name}`;
        const label = titleOf(name, schema);
        const change = (given: unknown) => onChange(withField(value, name, given));
        if (isShape(schema)) {
          const inner = (value[name] ?? schema.default ?? {}) as Config;
          const part = { schema, value: inner, onChange: change, problems, aids, path: place };
          return variantsOf(schema).length > 0 ? (
            <Variants key={name} {...part} label={label} />
          ) : (
            <Fieldset key={name} legend={label} bg="transparent">
              <Fields {...part} />
            </Fieldset>
          );
        }
        const problem = problemAt(problems, place);
        const aid = schema.aid === undefined ? undefined : aids[schema.aid];
        if (aid) {
          const field = { schema, label, value: value[name], onChange: change, problem };
          return <Fragment key={name}>{aid(field)}</Fragment>;
        }
        return (
          <Input
            key={name}
            schema={schema}
            label={label}
            required={shape.required?.includes(name) ?? false}
            value={value[name]}
            onChange={change}
            problem={problem}
          />
        );
      })}
    </Stack>
  );
}

const isShape = (schema: ConfigSchema): boolean => ['group', 'variants'].includes(fieldKindOf(schema));

function withField(value: Config, name: string, given: unknown): Config {
  const { [name]: _before, ...rest } = value;
  return given === undefined ? rest : { ...rest, [name]: given };
}
