/** The destinations of every organisation, by name: an event says which of them it is meant for. */
export type Route =
  | 'good'
  | 'bearer'
  | 'flaky'
  | 'failing'
  | 'redirect'
  | 'slack'
  | 'slack-bot'
  | 'discord'
  | 'telegram'
  | 'notion'
  | 'email'
  | 'postgres'
  | 'inbox'
  | 'listener'
  | 'pausable';

export const routes: readonly Route[] = [
  'good',
  'bearer',
  'flaky',
  'failing',
  'redirect',
  'slack',
  'slack-bot',
  'discord',
  'telegram',
  'notion',
  'email',
  'postgres',
  'inbox',
  'listener',
  'pausable',
];

/** Besides: a model is asked about it, nobody listens to it, or its destination is deleted during the run. */
export const otherRoutes = ['mood', 'nowhere', 'doomed'] as const;

/** What receivers do in place of answering. */
export const behaviours = ['hang', 'reset', 'error', 'busy', 'flood', 'lie', 'drip', 'away'] as const;
export type Behaviour = (typeof behaviours)[number] | 'redirect' | 'well';

/** Who misbehaves, and how: `flaky hang`. */
export const troubledReceivers: readonly string[] = (
  ['flaky', 'slack', 'slack-bot', 'discord', 'telegram', 'notion', 'bearer'] as const
).flatMap(receiver => behaviours.map(behaviour => `${receiver} ${behaviour}`));
