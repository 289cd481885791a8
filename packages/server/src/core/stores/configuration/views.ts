/** Filters and columns of the list of events that somebody keeps under a name. */
export interface SavedView {
  readonly id: string;
  readonly orgId: string;
  /** Whose it is; null: the whole organisation's. */
  readonly userId: string | null;
  readonly name: string;
  /** As the address of the list has them. */
  readonly filters: Readonly<Record<string, string>>;
  readonly columns: readonly string[];
  readonly createdAt: number;
  readonly updatedAt: number;
}

type SavedViewChange = Partial<Pick<SavedView, 'name' | 'filters' | 'columns'>>;

/** Each of these concerns the views of one person, and those of their organisation: nobody reaches another's own. */
export interface SavedViewStore {
  /** The newest first. */
  listViews(orgId: string, userId: string): Promise<SavedView[]>;
  findView(orgId: string, userId: string, id: string): Promise<SavedView | null>;
  /** Too many where the person, or the organisation, has `most` already. */
  createView(view: SavedView, most: number): Promise<'created' | 'too_many'>;
  changeView(
    orgId: string,
    userId: string,
    id: string,
    change: SavedViewChange,
    at: number,
  ): Promise<boolean>;
  deleteView(orgId: string, userId: string, id: string): Promise<boolean>;
}
