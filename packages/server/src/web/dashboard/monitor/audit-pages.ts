/** Which page of the dashboard shows the record that an entry of the audit log is about. */
const pages: Readonly<Record<string, (id: string) => string>> = {
  evt: id => `/events/${id}`,
  dlv: id => `/deliveries/${id}`,
  src: id => `/sources/${id}`,
  pipe: id => `/pipelines/${id}`,
  dst: id => `/destinations/${id}`,
  job: id => `/jobs/${id}`,
  key: () => '/settings/keys',
  usr: () => '/settings/members',
  inv: () => '/settings/members',
  org: () => '/settings/organisations',
};

export function pageOfTarget(action: string, target: string): string | null {
  if (action === 'configuration.applied') return '/settings/configuration';
  if (action === 'events.replayed') return '/events';
  if (action.startsWith('entity.')) {
    if (action === 'entity.deleted') return null;
    // A kind holds no slash, so the first one parts them.
    const slash = target.indexOf('/');
    const [kind, externalId] = [target.slice(0, slash), target.slice(slash + 1)];
    return slash < 1 ? null : `/entities/${encodeURIComponent(kind)}/${encodeURIComponent(externalId)}`;
  }
  const prefix = target.slice(0, Math.max(0, target.indexOf('_')));
  return Object.hasOwn(pages, prefix) ? (pages[prefix]?.(target) ?? null) : null;
}
