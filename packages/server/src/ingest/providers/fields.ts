import type { PastedField, SecretField } from '../../core/kinds/provider-admin.ts';

/** Fields that several presets ask for. */

/** People choose it. */
export const chosenSecret: SecretField = {
  label: 'Secret',
  hint: 'Choose one, or leave it empty to generate one; paste it at the provider.',
  isChosen: true,
};

/** The provider made it. */
export const givenSecret = (label: string, hint: string): SecretField => ({ label, hint, isChosen: false });

export const signedUrl: PastedField = {
  label: 'URL as the provider knows it',
  hint: 'It is signed together with the body. Leave it empty if the provider uses the URL of this source as shown here.',
};

export const verifyTokenField: PastedField = {
  label: 'Verify token',
  hint: 'The provider sends it when it verifies this URL. Choose one, or leave it empty to generate one.',
};
