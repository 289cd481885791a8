/**
 * argon2id, computed off the event loop. What a hash costs is written into it, so that a password is always checked
 * at the cost it was hashed with.
 */
export const createPasswords = (cost: { readonly memoryCost?: number; readonly timeCost?: number } = {}) => ({
  hash: (password: string): Promise<string> =>
    Bun.password.hash(password, { algorithm: 'argon2id', ...cost }),
  matches: (password: string, hash: string): Promise<boolean> => Bun.password.verify(password, hash),
});
