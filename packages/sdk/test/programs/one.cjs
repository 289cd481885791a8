/** The same package, as CommonJS programs load it. */
const { createClient, signPayload, verifySignature } = require('@sluice/sdk');
const { diskSpool } = require('@sluice/sdk/spool');
const { expressHandler } = require('@sluice/sdk/webhooks');

const [, , , url, key, type] = process.argv;
for (const offered of [signPayload, verifySignature, diskSpool, expressHandler])
  if (typeof offered !== 'function') throw new Error('The package lacks something.');
const client = createClient({ url, key });
client.track(type, {});
void client.close();
