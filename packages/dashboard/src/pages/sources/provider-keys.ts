import type { ProviderRecord } from '@sluice/contract/dashboard-providers';

/** What is pasted of a provider, as it stands in the form; empty is left out. */
export interface PastedKeys {
  readonly secret: string;
  readonly public_key: string;
  readonly verify_token: string;
  readonly url: string;
  readonly verify_with: 'none' | 'bearer' | 'hmac';
}

export const nothingPasted: PastedKeys = {
  secret: '',
  public_key: '',
  verify_token: '',
  url: '',
  verify_with: 'bearer',
};

/** Those of them that this provider asks for. */
export function givenKeys({ fields }: ProviderRecord, keys: PastedKeys): Partial<PastedKeys> {
  const names = Object.keys(fields) as (keyof PastedKeys)[];
  return Object.fromEntries(names.flatMap(name => (keys[name].trim() === '' ? [] : [[name, keys[name]]])));
}
