/** argon2id, computed off the event loop. */
export const hashPassword = (password: string): Promise<string> =>
  Bun.password.hash(password, { algorithm: 'argon2id' });

export const isPassword = (password: string, hash: string): Promise<boolean> =>
  Bun.password.verify(password, hash);
