/** An entity's names may hold anything: in an address each stands as one encoded word. */
export interface EntityName {
  readonly kind: string;
  readonly external_id: string;
}

/** The page that shows it. */
export const entityPage = ({ kind, external_id }: EntityName): string =>
  `/entities/${encodeURIComponent(kind)}/${encodeURIComponent(external_id)}`;

export const nameOf = ({ kind, external_id }: EntityName): string => `${kind} ${external_id}`;
