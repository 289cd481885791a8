import type { AccountStore } from '../../../core/stores/accounts.ts';
import { OPERATOR_SETTING, type UpkeepStore } from '../../../core/stores/upkeep.ts';

/**
 * The organisation of whoever runs the installation: the one that was made first. It alone sees what concerns all of
 * them. Which one it is gets written down once, so that no other comes after it when it is deleted.
 */
export interface OperatorOrganisation {
  /** Whether this organisation is the operator's. */
  isOf(orgId: string): Promise<boolean>;
}

/** Answers which one it is: this one, unless another was before. */
export const keepOperatorOrganisation = (
  upkeep: Pick<UpkeepStore, 'keepSetting'>,
  orgId: string,
): Promise<string> => upkeep.keepSetting(OPERATOR_SETTING, orgId);

export async function findOperatorOrganisation({
  accounts,
  upkeep,
}: {
  readonly accounts: Pick<AccountStore, 'listOrganisations'>;
  readonly upkeep: Pick<UpkeepStore, 'keepSetting' | 'findSetting'>;
}): Promise<OperatorOrganisation> {
  let known: string | null = null;

  async function find(): Promise<string | null> {
    known ??= await upkeep.findSetting(OPERATOR_SETTING);
    if (known !== null) return known;
    const organisations = await accounts.listOrganisations();
    const [first] = organisations.toSorted((one, other) => one.createdAt - other.createdAt);
    if (first !== undefined) known = await keepOperatorOrganisation(upkeep, first.id);
    return known;
  }

  // At each start, rather than when somebody asks: by then the first one may be gone.
  await find();
  return { isOf: async orgId => (await find()) === orgId };
}
