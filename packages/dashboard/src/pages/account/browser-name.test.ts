import { expect, test } from 'bun:test';
import { browserName } from './browser-name.ts';

test('names browsers and systems by what they say of themselves', () => {
  const chrome = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0';
  for (const [userAgent, name] of [
    ['Mozilla/5.0 (X11; Linux x86_64; rv:142.0) Gecko/20100101 Firefox/142.0', 'Firefox on Linux'],
    [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${chrome} Safari/537.36`, 'Chrome on Windows'],
    [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${chrome} Safari/537.36 Edg/140.0`, 'Edge on Windows'],
    [`Mozilla/5.0 (Linux; Android 16) ${chrome} Mobile Safari/537.36`, 'Chrome on Android'],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1 (KHTML, like Gecko) Version/19.0 Mobile Safari/604.1',
      'Safari on iPhone',
    ],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1 (KHTML, like Gecko) Version/19.0 Safari/605.1',
      'Safari on macOS',
    ],
    ['curl/8.5.0', 'Unknown browser'],
    [null, 'Unknown browser'],
  ] as const) {
    expect(browserName(userAgent)).toBe(name);
  }
});
