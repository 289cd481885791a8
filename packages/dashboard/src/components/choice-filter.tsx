import { Select } from '@mantine/core';
import { useFilters } from '../lib/use-filters.ts';
import { useListOnDemand } from './use-list-on-demand.ts';

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
  /** It stands in a grid that gives it its width, and not in line with others. */
  isInGrid?: boolean;
  /** How the value in the address is called among the choices, where that is not the same. */
  nameOf?(value: string): string;
}) {
  const { name, searchable = false, isInGrid = false, nameOf = same } = props;
  const [filters, change] = useFilters();
  const list = useListOnDemand();
  const inAddress = filters[name];
  const value = inAddress ? nameOf(inAddress) : null;
  const choices = props.choices.map(choice =>
    typeof choice === 'string' ? { value: choice, label: choice } : choice,
  );
  // What was deleted since may still be asked for.
  const isKnown = value === null || choices.some(choice => choice.value === value);
  return (
    <Select
      {...list}
      aria-label={props.label}
      placeholder={props.any}
      data={isKnown ? choices : [...choices, { value, label: value }]}
      value={value}
      onChange={chosen => change({ [name]: chosen ?? '' })}
      searchable={searchable}
      {...(searchable ? { nothingFoundMessage: 'No results' } : {})}
      clearable
      {...(isInGrid ? {} : { w: filterWidth })}
    />
  );
}

const same = (value: string) => value;
