import { SegmentedControl, Stack } from '@mantine/core';
import { useState } from 'react';
import { EventText, SaveAs } from './event-text.tsx';
import { RecentEvents } from './recent-events.tsx';
import { SavedEvents } from './saved-events.tsx';
import { beginPasted, sampleText, type TrialEvent } from './trial-event.ts';

const kinds = [
  { value: 'recent', label: 'A recent event' },
  { value: 'saved', label: 'Saved' },
  { value: 'pasted', label: 'Custom event' },
] as const;

/** Which event to try something with. */
export function EventChoice(props: {
  event: TrialEvent | null;
  onEvent(event: TrialEvent | null): void;
  /** Whose events are offered; of all sources where it names none or several. */
  sources?: readonly string[];
}) {
  const { event, onEvent } = props;
  // Where none is chosen yet, there is still a list to choose from.
  const [list, setList] = useState<'recent' | 'saved'>(event?.kind === 'saved' ? 'saved' : 'recent');
  const shown = event?.kind ?? list;
  const change = (kind: string) => {
    if (kind === 'pasted') return onEvent(beginPasted(sampleText));
    setList(kind === 'saved' ? 'saved' : 'recent');
    onEvent(null);
  };
  return (
    <Stack gap="sm">
      <SegmentedControl
        size="xs"
        w="fit-content"
        aria-label="Which event"
        value={shown}
        onChange={change}
        data={[...kinds]}
      />
      {shown === 'recent' && (
        <RecentEvents
          sources={props.sources ?? []}
          chosen={event?.kind === 'recent' ? event.id : null}
          onChoose={id => onEvent(id === null ? null : { kind: 'recent', id })}
          onCopy={text => onEvent(beginPasted(text))}
        />
      )}
      {shown === 'saved' && (
        <SavedEvents chosen={event?.kind === 'saved' ? event : null} onChoose={onEvent} />
      )}
      {event?.kind === 'pasted' && (
        <>
          <EventText text={event.text} onText={text => onEvent({ ...event, text })} />
          <SaveAs
            text={event.text}
            onSaved={saved => {
              setList('saved');
              onEvent(saved);
            }}
          />
        </>
      )}
    </Stack>
  );
}
