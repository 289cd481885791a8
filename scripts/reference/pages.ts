import { renderApi } from './api.ts';
import { renderCel } from './cel.ts';
import { renderCommand } from './command.ts';
import { destinationPages } from './destinations.ts';
import { renderErrors } from './errors.ts';
import { providerPages } from './providers.ts';
import { renderSettings } from './settings.ts';
import { stepPages } from './steps.ts';
import { renderSystemEvents } from './system-events.ts';

const note = '<!-- Written by `npm run reference` from the code. Change it there. -->\n\n';

/** Every page of docs/reference by its file name. */
export function referencePages(): Record<string, string> {
  const pages = {
    'api.md': renderApi(),
    'cel.md': renderCel(),
    'command.md': renderCommand(),
    'errors.md': renderErrors(),
    'settings.md': renderSettings(),
    'system-events.md': renderSystemEvents(),
    ...destinationPages(),
    ...providerPages(),
    ...stepPages(),
  };
  return Object.fromEntries(Object.entries(pages).map(([name, text]) => [name, note + text]));
}
