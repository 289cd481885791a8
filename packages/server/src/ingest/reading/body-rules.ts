import { ExpressionError } from '../../core/expressions/expression-error.ts';
import { type Path, parsePath } from '../../core/expressions/path.ts';

/** How the body of a webhook becomes events. A preset has its own rules; a source may say where the type is taken from. */
export interface BodyRules {
  readonly typeFrom?: TypeRule;
  /** The provider's own id of this delivery, as paths into the payload whose values stand together. */
  readonly deliveryId?: readonly string[];
  /** The field of a form that holds the JSON: `payload`. */
  readonly formField?: string;
  /** A list makes one event of each item, known by the values at these paths of it. */
  readonly each?: { readonly id: readonly string[] };
  readonly isCloudEvent?: true;
  /**
   * Fields that hold the source's secret itself, as paths in which a list, for the reader `[]`, stands for each of its
   * items. They are struck out of what a verified sender has sent: a payload is stored unsealed, shown and sent on.
   */
  readonly secretFields?: readonly string[];
}

/** Where the type of an event is taken from; where that is absent, the body's `type` counts. */
export interface TypeRule {
  /** The first that is there. */
  readonly header?: string | readonly string[];
  /** `payload.event.type` */
  readonly path?: string;
  /** Stands before it: `github.`. */
  readonly prefix?: string;
  /** A path, appended after a dot where it is there: `payload.action`. */
  readonly andThen?: string;
}

/** The same with its paths read: plain data, which can cross to the thread that reads large bodies. */
export interface CompiledRules {
  readonly type: {
    readonly headers: readonly string[];
    readonly path: Path | null;
    readonly prefix: string;
    readonly andThen: Path | null;
  } | null;
  readonly deliveryId: readonly Path[] | null;
  readonly formField: string | null;
  readonly each: readonly Path[] | null;
  readonly isCloudEvent: boolean;
  readonly secretFields: readonly Path[] | null;
}

export function compileRules({
  typeFrom,
  deliveryId,
  formField,
  each,
  isCloudEvent,
  secretFields,
}: BodyRules): CompiledRules {
  return {
    type:
      typeFrom === undefined
        ? null
        : {
            headers: [typeFrom.header ?? []].flat(),
            path: typeFrom.path === undefined ? null : inPayload(typeFrom.path),
            prefix: typeFrom.prefix ?? '',
            andThen: typeFrom.andThen === undefined ? null : inPayload(typeFrom.andThen),
          },
    deliveryId: deliveryId?.map(inPayload) ?? null,
    formField: formField ?? null,
    each: each?.id.map(inPayload) ?? null,
    isCloudEvent: isCloudEvent ?? false,
    secretFields: secretFields?.map(field => inPayload(field.replaceAll('[]', ''))) ?? null,
  };
}

function inPayload(text: string): Path {
  const [root, ...rest] = parsePath(text);
  if (root !== 'payload' || rest.length === 0)
    throw new ExpressionError('A path begins with payload, such as payload.type', 0);
  return rest;
}
