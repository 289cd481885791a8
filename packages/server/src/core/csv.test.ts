import { expect, test } from 'bun:test';
import { csvLine } from './csv.ts';

test('cells are quoted where they hold a comma, a quote or a line break', () => {
  expect(csvLine(['plain', 'a,b', 'say "so"', 'two\nlines', 7, null])).toBe(
    'plain,"a,b","say ""so""","two\nlines",7,\r\n',
  );
});

test('no spreadsheet takes a text for a formula', () => {
  expect(csvLine(['=1+1', '+1', '-1', '@SUM(A1)', '\tx', '\r=x', -1])).toBe(
    `'=1+1,'+1,'-1,'@SUM(A1),'\tx,"'\r=x",-1\r\n`,
  );
  expect(csvLine(['=HYPERLINK("https://evil.example","x")'])).toBe(
    `"'=HYPERLINK(""https://evil.example"",""x"")"\r\n`,
  );
});
