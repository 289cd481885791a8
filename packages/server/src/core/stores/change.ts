/** What of an organisation's configuration can change under those who keep a copy of it. */
export type ConfigurationKind = 'keys' | 'sources' | 'pipelines' | 'destinations' | 'organisation';

/** A change of configuration, by this node or another: whoever keeps a copy drops what it names and nothing else. */
export interface ConfigurationChange {
  readonly organisationId: string;
  readonly what: ConfigurationKind;
  /** The key, source, pipeline or destination; absent where the change is not of one alone. */
  readonly id?: string;
}

/** Called with null where changes may have been missed: then nothing that was kept can be trusted. */
export type ChangeListener = (change: ConfigurationChange | null) => void;

/** What there is to do for whoever does it: events for the pipelines, deliveries for the senders. */
export type WorkKind = 'events' | 'deliveries';
