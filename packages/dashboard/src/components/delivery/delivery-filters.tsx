import { failureCodes } from '@sluice/contract/failure';
import { useAll } from '../../lib/api/use-call.ts';
import { ChoiceFilter } from '../choice-filter.tsx';

/** Where something was going, and why it did not arrive. */
export function DeliveryFilters() {
  const { data = [] } = useAll('GET /destinations');
  return (
    <>
      <ChoiceFilter
        name="destination"
        label="Destination"
        any="Any destination"
        choices={data.map(({ id, name }) => ({ value: id, label: name }))}
        searchable
      />
      <ChoiceFilter name="code" label="Failure" any="Any failure" choices={failureCodes} searchable />
    </>
  );
}
