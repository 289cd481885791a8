/** An entity's names may hold anything: in an address each stands as one encoded word. */
export interface EntityName {
  readonly kind: string;
  readonly external_id: string;
}

const words = ({ kind, external_id }: EntityName) =>
  `${encodeURIComponent(kind)}/${encodeURIComponent(external_id)}`;

/** The page that shows it. */
export const entityPage = (entity: EntityName): string => `/entities/${words(entity)}`;

/** The call that reads it, or a part of it: `links`, `graph?depth=2`. */
export const entityCall = (entity: EntityName, part = ''): string =>
  `/entities/${words(entity)}${part === '' ? '' : `/${part}`}`;

export const nameOf = ({ kind, external_id }: EntityName): string => `${kind} ${external_id}`;
