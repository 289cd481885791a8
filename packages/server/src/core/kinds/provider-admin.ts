/** What the web asks of the presets of webhook sources. */

/** A provider as it describes itself. */
export interface ProviderDescription {
  readonly name: string;
  readonly title: string;
  /** Others that sign in the same way, by which it is found too. */
  readonly also?: readonly string[];
  /** Plain sentences, in order: where to paste the URL, where the secret is. */
  readonly steps: readonly string[];
  /** What to look for in the provider's own documentation. */
  readonly documentation: string;
  readonly fields: ProviderFields;
  /** What is signed and how, in a sentence. */
  readonly signature: string;
  /** Where the type of its events is taken from, in words. */
  readonly type: string;
  /** Whatever else is worth knowing. */
  readonly note?: string;
}

interface ProviderFields {
  readonly secret?: SecretField;
  readonly public_key?: PastedField;
  readonly verify_token?: PastedField;
  readonly url?: PastedField;
  /** How a request is verified where that is a matter of agreement: none, bearer or hmac. */
  readonly verify_with?: PastedField;
}

export interface PastedField {
  readonly label: string;
  readonly hint: string;
}

export interface SecretField extends PastedField {
  /** People choose it, so that one is made where none is given. */
  readonly isChosen: boolean;
}

/** What was given of a source whose sender is verified as a provider signs. */
export interface GivenKeys {
  readonly secret: string | null;
  readonly publicKey: string | null;
  readonly verifyToken: string | null;
  readonly url: string | null;
  readonly verifyWith: 'none' | 'bearer' | 'hmac' | null;
}

export interface ProviderAdmin {
  list(): readonly ProviderDescription[];
  /** Throws a 400 that names the field where there is no such provider or something it needs is missing or wrong. */
  check(provider: string, given: GivenKeys): void;
}
