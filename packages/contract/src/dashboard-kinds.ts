/** Kinds of steps and destinations, as the private calls describe them to forms. */

/** The JSON Schema of a configuration, as far as forms are drawn from it. */
export interface ConfigSchema {
  readonly type?: string;
  readonly title?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly const?: unknown;
  readonly enum?: readonly string[];
  readonly format?: string;
  /** A secret: it is given, and never answered. */
  readonly writeOnly?: boolean;
  /** Written by the service itself; a form only hands it on. */
  readonly readOnly?: boolean;
  /** What helps to fill it in, beyond its type. */
  readonly aid?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly properties?: Readonly<Record<string, ConfigSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | ConfigSchema;
  readonly items?: ConfigSchema;
  readonly oneOf?: readonly ConfigSchema[];
  readonly anyOf?: readonly ConfigSchema[];
  readonly $ref?: string;
}

export interface KindRecord {
  readonly kind: string;
  readonly title: string;
  readonly docs: string;
  readonly schema: ConfigSchema;
  readonly secrets: readonly string[];
  readonly examples: readonly {
    readonly title: string;
    readonly config: Readonly<Record<string, unknown>>;
  }[];
  /** Of destinations: where connections come from. */
  readonly egress_addresses?: readonly string[];
  /** Of destinations: whether a message can be previewed. */
  readonly has_preview?: boolean;
  /** Of steps: what they may do to an event. */
  readonly class?: 'mutating' | 'control' | 'enrichment';
  /** Of steps: what they ask of the world, such as `model`. */
  readonly needs?: readonly string[];
}
