import '@mantine/spotlight/styles.css';
import { createSpotlight, Spotlight } from '@mantine/spotlight';
import { IconSearch } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { asCallError } from '../lib/api/call.ts';
import { notifyError } from '../lib/notify-error.ts';
import { slugOfTab } from '../lib/organisation.ts';
import { type PaletteItem, rankItems, withPicked } from './palette-items.ts';
import { isAction, type RunnableItem, useGoTo, usePaletteItems } from './use-palette-items.ts';

const [store, spotlight] = createSpotlight();
const MOST_SHOWN = 40;

/** Pages, settings, things and actions. It opens whenever it is asked for once more; Enter takes the first hit. */
export default function Palette({ asked: times }: { asked: number }) {
  const navigate = useNavigate();
  const goTo = useGoTo();
  const [query, setQuery] = useState('');
  /** Enter was pressed before the server had answered: what it finds first is taken then. */
  const [isEntered, setIsEntered] = useState(false);
  /** With an arrow somebody has chosen another one than the first. */
  const hasChosen = useRef(false);
  const typed = query.trim();
  const { items, actions, isAsking } = usePaletteItems(query);
  const shown =
    typed === '' ? recentFirst(items, actions, goTo) : rankItems(items, typed).slice(0, MOST_SHOWN);
  const search: RunnableItem = {
    key: 'search',
    label: `Search events for “${typed}”`,
    description: 'In payloads',
    run: () => navigate({ to: '/events', search: { text: typed } }),
  };
  const all = typed === '' ? shown : [...shown, search];
  useEffect(() => {
    if (times === 0) return;
    // Asked for while it fades away, it would still have the last question.
    if (!store.getState().opened) setQuery('');
    spotlight.open();
  }, [times]);

  const pick = (item: RunnableItem) => {
    setIsEntered(false);
    spotlight.close();
    if (item.to !== undefined || item.isRepeatable) remember(item);
    void Promise.resolve(item.run()).catch(error => notifyError(asCallError(error)));
  };
  const [first] = all;
  useEffect(() => {
    if (isEntered && !isAsking && first) pick(first);
  });

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') hasChosen.current = true;
    if (event.key !== 'Enter' || (hasChosen.current && marked() !== null)) return;
    event.preventDefault();
    // Or Spotlight would take the one that is marked as well, before the server has answered.
    unmark();
    setIsEntered(true);
  };
  return (
    <Spotlight.Root
      store={store}
      query={query}
      onQueryChange={text => {
        setIsEntered(false);
        hasChosen.current = false;
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
        <Mark keys={all.map(({ key }) => key).join('\n')} hasChosen={hasChosen} />
        {all.length === 0 && !isAsking && <Spotlight.Empty>No results</Spotlight.Empty>}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  );
}

/**
 * Spotlight marks what stood first when a letter was typed, and leaves the mark there when hits come in before it. Within
 * the list, so that it is there when the list is first drawn.
 */
function Mark({ keys, hasChosen }: { keys: string; hasChosen: RefObject<boolean> }) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever others are listed
  useEffect(() => {
    const actions = [...document.querySelectorAll('[data-palette] [data-action]')];
    const chosen = hasChosen.current ? actions.findIndex(one => one.hasAttribute('data-selected')) : -1;
    // What was chosen may be gone.
    hasChosen.current = chosen >= 0;
    const selected = Math.max(chosen, 0);
    if (actions[selected] === undefined) return;
    unmark();
    actions[selected].setAttribute('data-selected', 'true');
    store.updateState(state => ({ ...state, selected }));
  }, [keys, hasChosen]);
  return null;
}

const marked = (): Element | null => document.querySelector('[data-palette] [data-selected]');

const unmark = (): void => {
  for (const one of document.querySelectorAll('[data-palette] [data-selected]'))
    one.removeAttribute('data-selected');
};

/** By organisation: a thing of one is nothing in another. */
const storageKey = (): string => `sluice.recent.${slugOfTab() ?? ''}`;

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

function recentFirst(
  items: readonly RunnableItem[],
  actions: readonly RunnableItem[],
  goTo: (path: string) => unknown,
): RunnableItem[] {
  // Of actions, those that this person may do, with things that are still there: another may have picked them.
  const recent = readRecent().flatMap(({ to, ...item }) =>
    to === undefined || isAction(item)
      ? actions.filter(({ key }) => key === item.key)
      : [{ ...item, to, run: () => goTo(to) }],
  );
  const keys = new Set(recent.map(({ key }) => key));
  return [...recent, ...items.filter(({ key }) => !keys.has(key))];
}
