import { beforeAll, describe, expect, test } from 'bun:test';
import { installSdk, runtimes } from '../support/sdk.ts';
import { sendThroughKills } from '../support/sdk-outages.ts';

/** `npm run bench -- sdk-kills` goes through fifty. */
const KILLS = 3;

let folder: string;
beforeAll(async () => {
  folder = await installSdk();
});

describe(`a program with the SDK, whose server is killed ${KILLS} times, hangs and fails`, () => {
  for (const runtime of Object.keys(runtimes) as (keyof typeof runtimes)[]) {
    test(`loses nothing and sends nothing twice, on ${runtime}`, async () => {
      const { taken, lost, doubled, failures } = await sendThroughKills(folder, runtime, KILLS);
      expect({ lost, doubled }).toEqual({ lost: 0, doubled: 0 });
      expect(taken).toBeGreaterThan(KILLS * 20);
      expect(failures).toBeGreaterThan(KILLS);
    });
  }
});
