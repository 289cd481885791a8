import { expect, test } from 'bun:test';
import { alertTemplates } from '@sluice/contract/system-events';
import { configOf, usualDraft } from './alert-kinds.ts';

test('a mail goes to each address, without the fields that were left empty', () => {
  const draft = {
    ...usualDraft('email'),
    to: 'a@example.com, b@example.com,',
    from: 'sluice@example.com',
    host: ' smtp.example.com ',
  };
  expect(configOf('email', draft)).toEqual({
    to: ['a@example.com', 'b@example.com'],
    from: 'sluice@example.com',
    host: 'smtp.example.com',
    port: 587,
    security: 'starttls',
    ...alertTemplates.email,
  });
});

test('a number that is none is left for the server to refuse at its field', () => {
  expect(configOf('email', { ...usualDraft('email'), port: 'x' })).toMatchObject({ port: 'x' });
});

test('a chat has a text that reads well', () => {
  expect(configOf('slack', { url: 'https://example.com' })).toEqual({
    url: 'https://example.com',
    text: '{{event.icon}} {{payload.message}}\n{{payload.url}}',
  });
});
