import { IconFilter } from '@tabler/icons-react';
import { TextFilter } from './text-filter.tsx';

/** Narrows a short list by a text that lives in the address. */
export const ListFilter = ({ placeholder }: { placeholder: string }) => (
  <TextFilter
    name="text"
    aria-label="Filter"
    placeholder={placeholder}
    maw={340}
    leftSection={<IconFilter size={15} aria-hidden />}
    isFirst
  />
);

/** Whether any of these texts holds what was asked for. */
export const holdsText = (asked: string | undefined, ...texts: readonly string[]): boolean =>
  texts.some(text => text.toLowerCase().includes((asked ?? '').trim().toLowerCase()));
