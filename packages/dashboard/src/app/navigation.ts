import {
  IconActivity,
  IconBroadcast,
  IconInbox,
  IconMailOff,
  IconPlugConnected,
  IconRoute,
  IconSend,
  IconSettings,
  IconTopologyStar3,
  IconTruckDelivery,
} from '@tabler/icons-react';

/** The pages in the order of the side bar; `key` follows a `g`, as in `g e` for events. */
export const navigation = [
  { group: 'Watch', to: '/', label: 'Overview', icon: IconActivity, key: 'o' },
  { group: 'Watch', to: '/live', label: 'Live', icon: IconBroadcast, key: 'l' },
  { group: 'Watch', to: '/events', label: 'Events', icon: IconInbox, key: 'e' },
  { group: 'Watch', to: '/deliveries', label: 'Deliveries', icon: IconTruckDelivery, key: 'd' },
  { group: 'Watch', to: '/dead-letters', label: 'Dead letters', icon: IconMailOff, key: 'x' },
  { group: 'Build', to: '/sources', label: 'Sources', icon: IconPlugConnected, key: 's' },
  { group: 'Build', to: '/pipelines', label: 'Pipelines', icon: IconRoute, key: 'p' },
  { group: 'Build', to: '/destinations', label: 'Destinations', icon: IconSend, key: 't' },
  { group: 'Know', to: '/entities', label: 'Entities', icon: IconTopologyStar3, key: 'n' },
  { group: 'Know', to: '/settings', label: 'Settings', icon: IconSettings, key: ',' },
] as const;
