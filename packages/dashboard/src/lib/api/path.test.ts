import { describe, expect, test } from 'bun:test';
import { addressOf, pathOf } from './path.ts';

describe('the address of a call', () => {
  test('holds what its path names, each as one word whatever is in it', () => {
    expect(pathOf('GET /jobs/:id', { id: 'job_1' })).toBe('/jobs/job_1');
    expect(pathOf('GET /jobs/:id', { id: '../keys?x=1#y' })).toBe('/jobs/..%2Fkeys%3Fx%3D1%23y');
    expect(pathOf('GET /entities/:kind/:external_id/graph', { kind: 'a', external_id: 'b/c d' })).toBe(
      '/entities/a/b%2Fc%20d/graph',
    );
  });

  test('encodes once: what looks encoded already is still what was given', () => {
    expect(pathOf('GET /jobs/:id', { id: '%2F' })).toBe('/jobs/%252F');
  });

  test('holds the rest in its query, but for the body and what is empty', () => {
    const given = { id: 'src_1', limit: 5, cursor: undefined, text: '', 'trait.a b': 'c&d', body: { a: 1 } };
    expect(pathOf('GET /sources/:id/rejections', given)).toBe(
      '/sources/src_1/rejections?limit=5&trait.a+b=c%26d',
    );
  });

  test('begins where the server has its private calls', () => {
    expect(addressOf('GET /setup', {})).toBe('/dashboard/api/setup');
  });
});
