import { renderApi } from './api.ts';
import { renderCommand } from './command.ts';
import { renderDestinations } from './destinations.ts';
import { renderErrors } from './errors.ts';
import { renderProviders } from './providers.ts';
import { renderSettings } from './settings.ts';
import { renderSteps } from './steps.ts';

const note = '<!-- Written by `npm run reference` from the code. Change it there. -->\n\n';

/** Every page of docs/reference by its file name. */
export const referencePages = (): Record<string, string> => ({
  'api.md': note + renderApi(),
  'command.md': note + renderCommand(),
  'destinations.md': note + renderDestinations(),
  'errors.md': note + renderErrors(),
  'providers.md': note + renderProviders(),
  'settings.md': note + renderSettings(),
  'steps.md': note + renderSteps(),
});
