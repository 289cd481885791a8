import {
  IconBrandDiscord,
  IconBrandNotion,
  IconBrandSlack,
  IconBrandTelegram,
  IconDatabase,
  IconDeviceLaptop,
  IconInbox,
  IconMail,
  IconSend,
  IconWebhook,
} from '@tabler/icons-react';

const icons: Readonly<Record<string, typeof IconSend>> = {
  webhook: IconWebhook,
  slack: IconBrandSlack,
  discord: IconBrandDiscord,
  telegram: IconBrandTelegram,
  email: IconMail,
  postgres: IconDatabase,
  notion: IconBrandNotion,
  inbox: IconInbox,
  listener: IconDeviceLaptop,
};

/** A kind that nobody has drawn an icon for has the common one. */
export function KindIcon({ kind, size = 20 }: { kind: string; size?: number }) {
  const Icon = icons[kind] ?? IconSend;
  return <Icon size={size} stroke={1.6} style={{ flex: 'none' }} aria-hidden />;
}
