import { expect, test } from 'bun:test';
import { renderFrontPage } from './front-page.ts';

test('a host name out of a request is shown literally, never as markup', () => {
  const page = renderFrontPage('http://"><script>alert(1)</script>&', true);
  expect(page).not.toContain('<script');
  expect(page).toContain('http://&#34;&#62;&#60;script&#62;alert(1)&#60;/script&#62;&#38;/v1/ingest');
});

test('asks nothing of any other server, and runs nothing', () => {
  for (const needsSetUp of [true, false]) {
    const page = renderFrontPage('http://localhost:8080', needsSetUp);
    expect(page).not.toMatch(/<(script|link|img|iframe|form)|@import|url\(|\son\w+=|style=/i);
    expect([...page.matchAll(/href="([^"]*)"/g)].every(([, href]) => href?.startsWith('/'))).toBe(true);
  }
});
