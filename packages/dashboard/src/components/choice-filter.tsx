import { Select } from '@mantine/core';
import { useFilters } from '../lib/use-filters.ts';

/** Two stand side by side on a phone. */
export const filterWidth = { base: 'calc(50% - 5px)', xs: 190 } as const;

/** One of a few values that a list is narrowed by. It lives in the address under `name`. */
export function ChoiceFilter(props: {
  name: string;
  label: string;
  /** What stands there while nothing is chosen: "Any state". */
  any: string;
  choices: readonly (string | { readonly value: string; readonly label: string })[];
  searchable?: boolean;
}) {
  const [filters, change] = useFilters();
  const value = filters[props.name] ?? null;
  const choices = props.choices.map(choice =>
    typeof choice === 'string' ? { value: choice, label: choice } : choice,
  );
  // What was deleted since may still be asked for.
  const isKnown = value === null || choices.some(choice => choice.value === value);
  return (
    <Select
      aria-label={props.label}
      placeholder={props.any}
      data={isKnown ? choices : [...choices, { value, label: value }]}
      value={value}
      onChange={chosen => change({ [props.name]: chosen ?? '' })}
      searchable={props.searchable ?? false}
      clearable
      w={filterWidth}
    />
  );
}
