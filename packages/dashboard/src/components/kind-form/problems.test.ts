import { describe, expect, test } from 'bun:test';
import { CallError } from '../../lib/api/call.ts';
import { problemAt, problemsOf } from './problems.ts';

const refusal = (path: string | null, message: string) =>
  new CallError(400, 'validation_failed', message, path);

describe('an error of the server', () => {
  test('stands at its field, and does not name it again', () => {
    expect(problemsOf(refusal('config.auth.secret', 'config.auth.secret is required.'), 'config')).toEqual({
      'auth.secret': 'Is required.',
    });
    expect(
      problemsOf(refusal('steps[1].config.key', 'steps[1].config.key: no such field.'), 'steps[1].config'),
    ).toEqual({ key: 'No such field.' });
  });

  test('keeps its words where they are a sentence of their own', () => {
    const message = 'The column id is integer, which cannot hold $event.id.';
    expect(problemsOf(refusal('config.columns.id', message), 'config')).toEqual({ 'columns.id': message });
  });

  test('about something else stands at no field', () => {
    expect(problemsOf(refusal('name', 'name is required.'), 'config')).toEqual({});
    expect(problemsOf(refusal('config', 'config must hold a url.'), 'config')).toEqual({});
    expect(problemsOf(refusal(null, 'No.'), 'config')).toEqual({});
    expect(problemsOf(null, 'config')).toEqual({});
  });

  test('about a part that has no field of its own stands at the field around it', () => {
    expect(problemAt({ 'to[0]': 'No address.' }, 'to')).toBe('No address.');
    expect(problemAt({ 'columns.id': 'No such column.' }, 'columns')).toBe('No such column.');
    expect(problemAt({ token: 'x' }, 'to')).toBeNull();
  });
});
