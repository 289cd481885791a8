import type { ConfigurationSort } from '@sluice/contract/dashboard-configuration';
import { SYSTEM_SOURCE_NAME } from '../../../core/event/system-source.ts';
import { parsePath } from '../../../core/expressions/path.ts';
import type { Json, JsonObject } from '../../../core/json/json.ts';
import type { DestinationAdmin } from '../../../core/kinds/destination-admin.ts';
import type { PipelineAdmin } from '../../../core/kinds/pipeline-admin.ts';
import type { StoredDestination } from '../../../core/stores/configuration/destinations.ts';
import type { StoredPipeline } from '../../../core/stores/configuration/pipelines.ts';
import type { Source, WebhookSource } from '../../../core/stores/configuration/sources.ts';
import type { WholeConfiguration } from '../../../core/stores/configuration/whole.ts';
import type { WrittenDocument } from './document-thread.ts';
import {
  type SourceInput,
  showDestinationForm,
  showPipelineForm,
  showSourceForm,
  type WebhookInput,
} from './forms.ts';
import { byKey, keysOf } from './keys.ts';

/** The configuration of an organisation as a file, made of what is stored. */

/** The first line of a file: its format. */
export const FORMAT_VERSION = 1;

/** The sections of a file in their order, and what is in each. */
export const fileSections = [
  { sort: 'source', section: 'sources' },
  { sort: 'destination', section: 'destinations' },
  { sort: 'pipeline', section: 'pipelines' },
] as const satisfies readonly { sort: ConfigurationSort; section: keyof WholeConfiguration }[];

/** Something that is stored, as a file has it. */
export interface StoredForm<Stored> {
  readonly stored: Stored;
  readonly form: JsonObject;
  /** Where a secret belongs, within it. */
  readonly marks: readonly string[];
}

/** A source that somebody has made. That of the system events is in no file, and every organisation has one. */
export type MadeSource = Exclude<Source, { readonly kind: 'system' }>;

/** Each by its key. */
export interface StoredForms {
  /** The one that pipelines of a file name `System`, whatever it is called here. */
  readonly systemSourceId: string | null;
  readonly sources: ReadonlyMap<string, StoredForm<MadeSource>>;
  readonly destinations: ReadonlyMap<string, StoredForm<StoredDestination>>;
  readonly pipelines: ReadonlyMap<string, StoredForm<StoredPipeline>>;
}

interface Forms {
  readonly destinationAdmin: Pick<DestinationAdmin, 'showPortable' | 'readPortable'>;
  readonly pipelineAdmin: Pick<PipelineAdmin, 'show' | 'readPortable'>;
}

export function toForms(
  { sources, destinations, pipelines }: WholeConfiguration,
  { destinationAdmin, pipelineAdmin }: Forms,
): StoredForms {
  const made = sources.filter(source => source.kind !== 'system');
  const systemSourceId = sources.find(({ kind }) => kind === 'system')?.id ?? null;
  const keys = {
    // Its name is taken in every organisation: the first of all ids is none of theirs.
    sources: keysOf([{ id: '', name: SYSTEM_SOURCE_NAME }, ...made]),
    destinations: keysOf(destinations),
    pipelines: keysOf(pipelines),
  };
  const keyed = <T extends { readonly id: string }>(
    rows: readonly T[],
    of: ReadonlyMap<string, string>,
    show: (key: string, row: T) => Omit<StoredForm<T>, 'stored'>,
  ) =>
    new Map(
      rows
        .map(stored => {
          const key = of.get(stored.id) ?? stored.id;
          return [key, { stored, ...show(key, stored) }] as const;
        })
        .toSorted(byKey),
    );

  return {
    systemSourceId,
    sources: keyed(made, keys.sources, (key, source) => ({
      form: showSourceForm(key, { name: source.name, enabled: source.enabled, input: inputOf(source) }),
      marks: [],
    })),
    destinations: keyed(destinations, keys.destinations, (key, destination) => {
      const config = destinationAdmin.showPortable(destination);
      const { orgId, id, kind } = destination;
      const { marks } = destinationAdmin.readPortable({ orgId, id, kind, config, stored: null });
      return { form: showDestinationForm(key, { ...destination, config }), marks };
    }),
    pipelines: keyed(pipelines, keys.pipelines, (key, pipeline) => {
      const shown = pipelineAdmin.show(pipeline.definition);
      const { marks } = pipelineAdmin.readPortable({
        orgId: pipeline.orgId,
        steps: shown.steps,
        stored: null,
      });
      const form = showPipelineForm(key, {
        ...shown,
        name: pipeline.name,
        enabled: pipeline.enabled,
        sources: shown.sources.map(id =>
          id === systemSourceId ? SYSTEM_SOURCE_NAME : (keys.sources.get(id) ?? id),
        ),
        destinations: shown.destinations.map(({ id, when }) => ({
          name: keys.destinations.get(id) ?? id,
          ...(when === undefined ? {} : { when }),
        })),
      });
      return { form, marks };
    }),
  };
}

/** A source as somebody would enter it to have the same. */
function inputOf(source: MadeSource): SourceInput {
  const { name, expectEveryMinutes } = source;
  const common = { name, expect_every_minutes: expectEveryMinutes ?? undefined };
  if (source.kind === 'sdk') return { kind: 'sdk', ...common, match: source.match };
  return { kind: 'webhook', ...common, ...webhookInputOf(source) };
}

function webhookInputOf(source: WebhookSource): Omit<WebhookInput, 'kind' | 'name' | 'expect_every_minutes'> {
  const { auth, provider, providerOptions, typeFrom, ratePerSecond, rateBurst } = source;
  const { url, publicKey, verifyWith, scheme } = providerOptions;
  return {
    auth,
    rate: { per_second: ratePerSecond, burst: rateBurst },
    provider: provider ?? undefined,
    url,
    public_key: publicKey,
    verify_with: verifyWith,
    scheme,
    type_from: typeFrom ?? undefined,
  };
}

const COMMENT = [
  ' The configuration of an organisation in Sluice: Settings → Configuration.',
  ' Secrets are left out: !secret marks where one belongs.',
].join('\n');

/** Sections that hold nothing are there too: the file is then the whole configuration. */
export function toDocument(forms: StoredForms): WrittenDocument {
  const marks: (string | number)[][] = [];
  const value: { [section: string]: Json } = { sluice: FORMAT_VERSION };
  for (const { section } of fileSections) {
    const items = [...forms[section]];
    value[section] = Object.fromEntries(items.map(([key, { form }]) => [key, form]));
    for (const [key, one] of items)
      for (const mark of one.marks) marks.push([section, key, ...parsePath(mark)]);
  }
  return { value, marks, comment: COMMENT };
}
