import type { Clock } from '../core/clock.ts';
import { seconds } from '../core/clock.ts';
import type { UpkeepStore } from '../core/stores/upkeep.ts';

/**
 * Whose turn it is to look for trouble: one node's at a time, which keeps it by looking, and whoever comes first after
 * that one has been away for a while. It saves work; that nothing is told twice does not depend on it.
 */
export interface Turn {
  take(): Promise<boolean>;
  /** Another may have it at once. */
  giveUp(): Promise<void>;
}

const NAME = 'alerts.turn';
const KEPT_MS = seconds(30);

export function createTurn(
  upkeep: Pick<UpkeepStore, 'findSetting' | 'keepSetting' | 'replaceSetting'>,
  clock: Clock,
  nodeName: string,
): Turn {
  const textOf = (until: number) => `${nodeName} ${until}`;

  function isFree(text: string, now: number): boolean {
    const [holder, until] = text.split(' ');
    // A clock that went back must not leave it to somebody for longer than anybody can have it.
    return holder === nodeName || Math.abs(Number(until) - now) > KEPT_MS || Number(until) <= now;
  }

  return {
    async take() {
      const now = clock.now();
      const mine = textOf(now + KEPT_MS);
      const found = (await upkeep.findSetting(NAME)) ?? (await upkeep.keepSetting(NAME, mine));
      if (found === mine) return true;
      return isFree(found, now) && (await upkeep.replaceSetting(NAME, found, mine));
    },
    async giveUp() {
      const found = await upkeep.findSetting(NAME);
      if (found?.startsWith(`${nodeName} `)) await upkeep.replaceSetting(NAME, found, textOf(0));
    },
  };
}
