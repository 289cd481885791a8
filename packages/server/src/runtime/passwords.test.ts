import { expect, test } from 'bun:test';
import { createPasswords } from './passwords.ts';

test('a password is hashed with argon2id, at 64 MiB and two passes unless somebody chooses less', async () => {
  const hash = await createPasswords().hash('correct horse');
  expect(hash).toStartWith('$argon2id$v=19$m=65536,t=2,p=1$');
  const cheap = createPasswords({ memoryCost: 8, timeCost: 1 });
  expect(await cheap.matches('correct horse', hash)).toBe(true);
  expect(await cheap.matches('wrong horse', hash)).toBe(false);
});
