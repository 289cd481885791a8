import { invalid } from '../core/errors.ts';
import type { GivenKeys, ProviderAdmin } from '../core/kinds/provider-admin.ts';
import { findPreset, presets } from './providers/registry.ts';
import type { TypeRule } from './reading/body-rules.ts';
import type { Preset } from './verification/preset.ts';

/** Presets as people set them up. */
export const providerAdmin: ProviderAdmin = {
  list: () =>
    presets.map(preset => {
      const { name, title, also, steps, documentation, fields, signature } = preset;
      const [type, note] = [typeInWords(preset), noteInWords(preset)];
      return { name, title, also, steps, documentation, fields, signature, note, type };
    }),

  check(provider, given) {
    const preset = findPreset(provider);
    if (preset === null)
      throw invalid('provider', `provider must be one of ${presets.map(({ name }) => name).join(', ')}.`);
    requireFields(preset, given);
    const fault = preset.check?.({
      secrets: given.secret === null ? [] : [given.secret],
      publicKey: given.publicKey,
      verifyToken: given.verifyToken,
      verifyWith: given.verifyWith ?? 'bearer',
    });
    if (fault) throw invalid(fault.field, fault.message);
  },
};

function requireFields({ title, fields }: Preset, given: GivenKeys): void {
  const values = {
    secret: given.secret,
    public_key: given.publicKey,
    verify_token: given.verifyToken,
    url: given.url,
    verify_with: given.verifyWith,
  };
  for (const name of ['secret', 'public_key', 'verify_token'] as const) {
    if (fields[name] !== undefined && values[name] === null)
      throw invalid(name, `${name} is missing: ${fields[name].label} of ${title}. ${fields[name].hint}`);
  }
  for (const name of ['public_key', 'verify_token', 'url', 'verify_with'] as const) {
    if (fields[name] === undefined && values[name] !== null) throw invalid(name, `${title} has no ${name}.`);
  }
}

/** For the reference and the form. */
function typeInWords({ body }: Preset): string {
  if (body?.isCloudEvent) return '`type` of the CloudEvent';
  if (body?.typeFrom === undefined) return '`type` of the body, else `webhook.in.received`';
  const { prefix = '', andThen } = body.typeFrom;
  const from = placeOf(body.typeFrom);
  const more = andThen === undefined ? '' : `, then \`.\` and \`${andThen}\` where it is there`;
  return prefix === '' ? `${from}${more}` : `\`${prefix}\` and ${from}${more}`;
}

/** What is struck out is worth knowing to whoever misses it. */
function noteInWords({ note, body }: Preset): string | undefined {
  const { secretFields = [] } = body ?? {};
  if (secretFields.length === 0) return note;
  const fields = secretFields.map(field => `\`${field}\``).join(' and ');
  const struck = `${fields} contains the secret itself; it is replaced with \`…\` before the event is stored.`;
  return note === undefined ? struck : `${note} ${struck}`;
}

const placeOf = ({ header, path }: TypeRule): string =>
  header === undefined ? `\`${path}\`` : `the header \`${[header].flat()[0]}\``;
