import { alertTemplates } from '@sluice/contract/system-events';

/** Where alerts can be sent: a destination that there is, or one that is made of few fields. */

interface AlertField {
  readonly name: string;
  readonly label: string;
  readonly placeholder: string;
  readonly isSecret?: boolean;
  readonly choices?: readonly string[];
  /** What stands there at first. */
  readonly usual?: string;
  readonly isOptional?: boolean;
}

interface AlertKind {
  readonly title: string;
  /** How people are told there: "Tell me … when something fails". */
  readonly how: string;
  readonly fields: readonly AlertField[];
}

const EXISTING = 'existing';

export const alertKinds = {
  slack: {
    title: 'Slack',
    how: 'in Slack',
    fields: [
      {
        name: 'url',
        label: 'Incoming webhook URL',
        placeholder: 'https://hooks.slack.com/services/…',
        isSecret: true,
      },
    ],
  },
  discord: {
    title: 'Discord',
    how: 'in Discord',
    fields: [
      {
        name: 'url',
        label: 'Webhook URL',
        placeholder: 'https://discord.com/api/webhooks/…',
        isSecret: true,
      },
    ],
  },
  telegram: {
    title: 'Telegram',
    how: 'in Telegram',
    fields: [
      { name: 'bot_token', label: 'Bot token', placeholder: '123456:ABC-DEF', isSecret: true },
      { name: 'chat_id', label: 'Chat', placeholder: '-1001234567890 or @channel' },
    ],
  },
  email: {
    title: 'Email',
    how: 'by email',
    fields: [
      { name: 'to', label: 'To', placeholder: 'team@example.com, on-call@example.com' },
      { name: 'from', label: 'From', placeholder: 'Sluice <sluice@example.com>' },
      { name: 'host', label: 'Mail server', placeholder: 'smtp.example.com' },
      { name: 'port', label: 'Port', placeholder: '587', usual: '587' },
      {
        name: 'security',
        label: 'Encryption',
        placeholder: '',
        choices: ['starttls', 'tls', 'none'],
        usual: 'starttls',
      },
      { name: 'user', label: 'User', placeholder: 'Optional', isOptional: true },
      { name: 'password', label: 'Password', placeholder: 'Optional', isSecret: true, isOptional: true },
    ],
  },
  webhook: {
    title: 'Webhook',
    how: 'through a webhook',
    fields: [{ name: 'url', label: 'URL', placeholder: 'https://example.com/alerts' }],
  },
  [EXISTING]: { title: 'Existing destination', how: 'through that destination', fields: [] },
} as const satisfies Readonly<Record<string, AlertKind>>;

export type AlertKindName = keyof typeof alertKinds;

export const isExisting = (kind: AlertKindName): boolean => kind === EXISTING;

/** The fields as people fill them in, all as texts. */
export type AlertDraft = Readonly<Record<string, string>>;

export const alertFields = (kind: AlertKindName): readonly AlertField[] => alertKinds[kind].fields;

export const usualDraft = (kind: AlertKindName): AlertDraft =>
  Object.fromEntries(alertFields(kind).map(({ name, usual }) => [name, usual ?? '']));

/** What may be kept of it in the browser. */
export const withoutAlertSecrets = (kind: AlertKindName, draft: AlertDraft): AlertDraft => ({
  ...draft,
  ...Object.fromEntries(alertFields(kind).flatMap(({ name, isSecret }) => (isSecret ? [[name, '']] : []))),
});

/** The configuration of the destination that is made, with a text that reads well. */
export function configOf(kind: AlertKindName, draft: AlertDraft): Record<string, unknown> {
  const given = alertFields(kind)
    .filter(({ name, isOptional = false }) => !isOptional || draft[name] !== '')
    .map(({ name }) => [name, settingOf(name, (draft[name] ?? '').trim())] as const);
  return { ...Object.fromEntries(given), ...alertTemplates[kind] };
}

function settingOf(name: string, text: string): unknown {
  if (name === 'port') return /^\d+$/.test(text) ? Number(text) : text;
  if (name === 'to')
    return text
      .split(',')
      .map(one => one.trim())
      .filter(Boolean);
  return text;
}
