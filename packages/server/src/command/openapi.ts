import type { Settings } from '../settings.ts';
import type { Command } from './command.ts';

/** `sluice openapi`: the document of the public API, with the limits that the settings give it. */
export const createOpenApi = (openApiDocument: (settings: Settings) => Promise<object>): Command => ({
  name: 'openapi',
  summary: 'Print the OpenAPI document of the public API, as the service with these settings serves it.',
  exits: { 0: 'it is printed' },
  examples: ['openapi > sluice.json'],

  async run(given, { settings, terminal }) {
    terminal.say(JSON.stringify(await openApiDocument(settings), null, given.has('json') ? 0 : 2));
    return 0;
  },
});
