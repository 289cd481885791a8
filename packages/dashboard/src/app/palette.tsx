import '@mantine/spotlight/styles.css';
import { createSpotlight, Spotlight } from '@mantine/spotlight';
import { IconSearch } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useCall } from '../lib/api/use-call.ts';
import { navigation } from './pages.ts';

const [store, spotlight] = createSpotlight();

/** Every page and everything that has a name or an id. It opens whenever it is asked for once more. */
export default function Palette({ asked: times }: { asked: number }) {
  const navigate = useNavigate();
  const [query, setQuery] = useState('');
  const asked = query.trim();
  const found = useCall('GET /search', asked === '' ? null : { text: asked });
  const pages = navigation.filter(({ label }) => label.toLowerCase().includes(asked.toLowerCase()));
  const things = asked === '' ? [] : (found.data ?? []);
  useEffect(() => {
    if (times > 0) spotlight.open();
  }, [times]);

  return (
    <Spotlight.Root
      store={store}
      query={query}
      onQueryChange={setQuery}
      shortcut={null}
      scrollable
      maxHeight={420}
    >
      <Spotlight.Search
        placeholder="A page, a name, or an id such as evt_…"
        aria-label="Find anything"
        leftSection={<IconSearch size={18} aria-hidden />}
      />
      <Spotlight.ActionsList>
        {pages.map(({ to, label, icon: Icon }) => (
          <Spotlight.Action
            key={to}
            label={label}
            description="Page"
            leftSection={<Icon size={18} stroke={1.7} aria-hidden />}
            onClick={() => void navigate({ to })}
          />
        ))}
        {things.map(({ kind, id, label, to }) => (
          <Spotlight.Action
            key={id}
            label={label}
            description={`${kind} ${id}`}
            onClick={() => void navigate({ to })}
          />
        ))}
        {pages.length + things.length === 0 && !found.isFetching && (
          <Spotlight.Empty>Nothing is called that.</Spotlight.Empty>
        )}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  );
}
