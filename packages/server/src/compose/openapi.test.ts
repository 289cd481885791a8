import { expect, test } from 'bun:test';
import { readSettings } from '../settings.ts';
import { openApiDocument } from './openapi.ts';

test('the document names the base URL that the settings give, or else the address it comes from', () => {
  expect(openApiDocument(readSettings({ SLUICE_BASE_URL: 'https://in.example.com/' }))).toMatchObject({
    servers: [{ url: 'https://in.example.com' }],
  });
  expect(openApiDocument(readSettings({}))).toMatchObject({ servers: [{ url: '/' }] });
});

test('the document has the limits that the settings give', () => {
  const text = JSON.stringify(openApiDocument(readSettings({ SLUICE_MAX_BATCH_EVENTS: '4321' })));
  expect(JSON.parse(text)).toMatchObject({ openapi: expect.stringMatching(/^3\.1/) });
  expect(text).toContain('4321');
});
