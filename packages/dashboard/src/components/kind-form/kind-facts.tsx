import { Badge, Group, Text } from '@mantine/core';
import type { ConfigSchema } from '@sluice/contract/dashboard-kinds';
import type { ReactNode } from 'react';
import { stringifyExact } from '../../lib/api/exact-json.ts';
import facts from '../facts.module.css';
import {
  askedFields,
  type Config,
  fieldKindOf,
  titleOf,
  variantName,
  variantOf,
  variantsOf,
} from './schema.ts';

/** A configuration for those who may not change it: what its form would hold, as text. What is not set is left out. */
export function KindFacts({ schema, value }: { schema: ConfigSchema; value: Config }) {
  const shown = factsOf(schema, value);
  if (shown.length === 0)
    return (
      <Text size="sm" c="dimmed">
        Nothing is set: the defaults apply.
      </Text>
    );
  return (
    <dl className={facts.facts}>
      {shown.map(([label, fact]) => (
        <Fact key={label} label={label}>
          {fact}
        </Fact>
      ))}
    </dl>
  );
}

/** One line of a list of facts. */
export function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </>
  );
}

type ShownFact = readonly [label: string, fact: ReactNode];

function factsOf(schema: ConfigSchema, value: Config): ShownFact[] {
  const variants = variantsOf(schema);
  const shape = variants.length > 0 ? (variants[variantOf(variants, value)] ?? {}) : schema;
  return askedFields(shape).flatMap(([name, field]): ShownFact[] => {
    const label = titleOf(name, field);
    const given = value[name];
    const kind = fieldKindOf(field);
    if (kind !== 'group' && kind !== 'variants') {
      return given === undefined ? [] : [[label, <Value key={name} schema={field} value={given} />]];
    }
    const inner = (given ?? field.default ?? {}) as Config;
    const variant = kind === 'variants' && variantsOf(field)[variantOf(variantsOf(field), inner)];
    const own: ShownFact[] = variant ? [[label, <Word key={name}>{variantName(variant)}</Word>]] : [];
    return [...own, ...factsOf(field, inner).map(([title, fact]): ShownFact => [`${label}: ${title}`, fact])];
  });
}

function Value({ schema, value }: { schema: ConfigSchema; value: unknown }) {
  switch (fieldKindOf(schema)) {
    case 'secret':
      return <Word>set</Word>;
    case 'flag':
      return value === true ? 'yes' : 'no';
    case 'choice':
      return <Word>{String(value)}</Word>;
    case 'choices':
    case 'texts':
    case 'numbers':
      return (
        <Group gap={4}>
          {(value as readonly unknown[]).map(one => (
            <Word key={String(one)}>{String(one)}</Word>
          ))}
        </Group>
      );
    case 'pairs':
      return <Pairs pairs={value as Config} />;
    case 'condition':
    case 'expression':
      return <span className="mono">{String(value)}</span>;
    case 'json':
      return <span className="mono">{stringifyExact(value, 0)}</span>;
    default:
      return <span style={{ whiteSpace: 'pre-wrap' }}>{String(value)}</span>;
  }
}

const Pairs = ({ pairs }: { pairs: Config }) =>
  Object.entries(pairs).map(([name, value]) => (
    <div key={name} className="mono">
      {name} = {typeof value === 'string' ? value : stringifyExact(value, 0)}
    </div>
  ));

const Word = ({ children }: { children: ReactNode }) => (
  <Badge color="gray" tt="none" fw={500} component="span">
    {children}
  </Badge>
);
