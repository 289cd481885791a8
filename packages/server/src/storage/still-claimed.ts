interface Claim {
  readonly orgId: string;
  readonly id: string;
  readonly token: string;
}

/** Of these claims, the ids of those whose rows show the same token still. */
export async function stillClaimed(
  claims: readonly Claim[],
  read: (
    orgId: string,
    ids: readonly string[],
  ) => Promise<readonly { readonly id: string; readonly token: string | null }[]>,
): Promise<string[]> {
  const found: string[] = [];
  for (const [orgId, group] of Map.groupBy(claims, claim => claim.orgId)) {
    const tokens = new Map(group.map(({ id, token }) => [id, token]));
    for (const { id, token } of await read(orgId, [...tokens.keys()])) {
      if (token === tokens.get(id)) found.push(id);
    }
  }
  return found;
}
