import '@mantine/spotlight/styles.css';
import { createSpotlight, Spotlight } from '@mantine/spotlight';
import { IconSearch } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useEffect, useState } from 'react';
import { asCallError } from '../lib/api/call.ts';
import { notifyError } from '../lib/notify-error.ts';
import { slugInAddress } from '../lib/organisation.ts';
import { type PaletteItem, rankItems, withPicked } from './palette-items.ts';
import { type RunnableItem, usePaletteItems } from './use-palette-items.ts';

const [store, spotlight] = createSpotlight();
const MOST_SHOWN = 40;

/** Pages, settings, things and actions. It opens whenever it is asked for once more; Enter takes the first hit. */
export default function Palette({ asked: times }: { asked: number }) {
  const navigate = useNavigate();
  const [query, setQuery] = useState('');
  /** Enter was pressed before the server had answered: what it finds first is taken then. */
  const [isEntered, setIsEntered] = useState(false);
  const typed = query.trim();
  const { items, isAsking } = usePaletteItems(query);
  const shown =
    typed === '' ? recentFirst(items, to => navigate({ to })) : rankItems(items, typed).slice(0, MOST_SHOWN);
  const search: RunnableItem = {
    key: 'search',
    label: `Search events for “${typed}”`,
    description: 'In their payloads',
    run: () => navigate({ to: '/events', search: { text: typed } }),
  };
  const all = typed === '' ? shown : [...shown, search];
  useEffect(() => {
    if (times > 0) spotlight.open();
  }, [times]);

  const pick = (item: RunnableItem) => {
    setIsEntered(false);
    spotlight.close();
    if (item.to !== undefined) remember(item);
    void Promise.resolve(item.run()).catch(error => notifyError(asCallError(error)));
  };
  const [first] = all;
  useEffect(() => {
    if (isEntered && !isAsking && first) pick(first);
  });

  const onKeyDown = (event: KeyboardEvent) => {
    // With an arrow somebody has chosen another one.
    if (event.key !== 'Enter' || document.querySelector('[data-palette] [data-selected]')) return;
    event.preventDefault();
    setIsEntered(true);
  };
  return (
    <Spotlight.Root
      store={store}
      query={query}
      onQueryChange={text => {
        setIsEntered(false);
        setQuery(text);
      }}
      shortcut={null}
      scrollable
      maxHeight={420}
      data-palette
      attributes={{ content: { 'aria-label': 'Find anything' } }}
    >
      <Spotlight.Search
        placeholder="A page, a name, an action, or an id such as evt_…"
        aria-label="Find anything"
        leftSection={<IconSearch size={18} aria-hidden />}
        onKeyDown={onKeyDown}
      />
      <Spotlight.ActionsList>
        {all.map(item => (
          <Spotlight.Action
            key={item.key}
            label={item.label}
            description={item.description}
            onClick={() => pick(item)}
          />
        ))}
        {all.length === 0 && !isAsking && <Spotlight.Empty>No results</Spotlight.Empty>}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  );
}

/** By organisation: a thing of one is nothing in another. */
const storageKey = (): string => `sluice.recent.${slugInAddress() ?? ''}`;

function readRecent(): PaletteItem[] {
  try {
    return JSON.parse(localStorage.getItem(storageKey()) ?? '[]') as PaletteItem[];
  } catch {
    return [];
  }
}

function remember({ key, label, description, to }: PaletteItem): void {
  const picked = { key, label, description, ...(to === undefined ? {} : { to }) };
  localStorage.setItem(storageKey(), JSON.stringify(withPicked(readRecent(), picked)));
}

function recentFirst(items: readonly RunnableItem[], goTo: (path: string) => unknown): RunnableItem[] {
  const recent = readRecent().flatMap(({ to, ...item }) =>
    to === undefined ? [] : [{ ...item, to, run: () => goTo(to) }],
  );
  const keys = new Set(recent.map(({ key }) => key));
  return [...recent, ...items.filter(({ key }) => !keys.has(key))];
}
