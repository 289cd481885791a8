import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { type Sample, samples } from '../contract/provider/samples.ts';
import { type Browser, setUp } from '../support/dashboard.ts';
import { type ProviderSources, providerSources, requestOf, send } from '../support/provider-sources.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let owner: Browser;
let create: ProviderSources['create'];
let eventsOf: ProviderSources['eventsOf'];
let reasonsOf: ProviderSources['reasonsOf'];
beforeAll(async () => {
  service = await startTestService();
  owner = await setUp(service);
  ({ create, eventsOf, reasonsOf } = await providerSources(service, owner));
});
afterAll(() => service.stop());

describe('a handshake is answered as the provider wants it, and is no event', () => {
  const signedV0 = (prefix: string, secret: string, body: string) => {
    const at = String(Math.floor(Date.now() / 1_000));
    const signature = `v0=${createHmac('sha256', secret).update(`v0:${at}:${body}`).digest('hex')}`;
    return { [`${prefix}-signature`]: signature, [`${prefix}-request-timestamp`]: at };
  };

  test('Meta and Strava: hub.challenge, with the verify token', async () => {
    const query = '?hub.mode=subscribe&hub.challenge=42%3Cb%3E&hub.verify_token=';
    for (const [provider, expected] of [
      ['meta', '42<b>'],
      ['strava', '{"hub.challenge":"42<b>"}'],
    ] as const) {
      const keys = provider === 'meta' ? { secret: 's' } : {};
      const source = await create({ auth: 'provider', provider, verify_token: 'agreed', ...keys });
      const answer = await fetch(`${source.url}${query}agreed`);
      expect([answer.status, await answer.text()]).toEqual([200, expected]);
      const wrong = await fetch(`${source.url}${query}other`);
      expect(wrong.status).toBe(401);
      expect((await reasonsOf(source, 1))[0]).toBe('The token in hub.verify_token is not this source’s.');
      expect((await fetch(source.url)).status).toBe(405);
      await owner.patch(`/sources/${source.id}`, { enabled: false });
      expect((await fetch(`${source.url}${query}agreed`)).status).toBe(403);
    }
  });

  test('Slack: url_verification, once its signature is verified', async () => {
    const source = await create({ auth: 'provider', provider: 'slack', secret: 's' });
    const body = '{"type":"url_verification","challenge":"abc"}';
    const answer = await send(source.url, body, signedV0('x-slack', 's', body));
    expect([answer.status, await answer.text()]).toEqual([200, 'abc']);
    expect((await send(source.url, body, signedV0('x-slack', 'other', body))).status).toBe(401);
    const command = 'command=%2Fdeploy&text=now';
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const shown = await send(source.url, command, { ...form, ...signedV0('x-slack', 's', command) });
    expect([shown.status, await shown.text()]).toEqual([200, '']);
    const click = `payload=${encodeURIComponent('{"type":"block_actions"}')}`;
    await send(source.url, click, { ...form, ...signedV0('x-slack', 's', click) });
    expect((await eventsOf(source)).map(({ type }) => type).sort()).toEqual([
      'block_actions',
      'webhook.in.received',
    ]);
  });

  test('Zoom: the token, encrypted with the secret', async () => {
    const source = await create({ auth: 'provider', provider: 'zoom', secret: 's' });
    const body = '{"event":"endpoint.url_validation","payload":{"plainToken":"abc"}}';
    const answer = await send(source.url, body, signedV0('x-zm', 's', body));
    const encryptedToken = createHmac('sha256', 's').update('abc').digest('hex');
    expect(await answer.json()).toEqual({ plainToken: 'abc', encryptedToken });
    expect(await eventsOf(source)).toEqual([]);
  });

  test('Microsoft Graph, Dropbox, CloudEvents and WooCommerce', async () => {
    const graph = await create({ auth: 'provider', provider: 'microsoft-graph' });
    const validated = await fetch(`${graph.url}?validationToken=a%20b%3Cc%3E`, { method: 'POST' });
    expect([validated.status, validated.headers.get('content-type'), await validated.text()]).toEqual([
      200,
      'text/plain; charset=utf-8',
      'a b<c>',
    ]);
    const dropbox = await create({ auth: 'provider', provider: 'dropbox', secret: 's' });
    expect(await (await fetch(`${dropbox.url}?challenge=xyz`)).text()).toBe('xyz');
    const cloud = await create({ auth: 'provider', provider: 'cloudevents' });
    const options = await send(
      cloud.url,
      '',
      { 'WebHook-Request-Origin': 'eventemitter.example.com' },
      'OPTIONS',
    );
    expect([options.status, options.headers.get('webhook-allowed-origin')]).toEqual([
      200,
      'eventemitter.example.com',
    ]);
    const shop = await create({ auth: 'provider', provider: 'woocommerce' });
    const ping = await send(shop.url, 'webhook_id=7', {
      'content-type': 'application/x-www-form-urlencoded',
    });
    expect(ping.status).toBe(200);
    for (const source of [graph, dropbox, cloud, shop]) expect(await eventsOf(source)).toEqual([]);
  });

  test('Azure Event Grid: the validation code, where the URL has the secret', async () => {
    const source = await create({ auth: 'provider', provider: 'azure-event-grid', secret: 's' });
    const body = JSON.stringify([
      {
        id: '1',
        eventType: 'Microsoft.EventGrid.SubscriptionValidationEvent',
        data: { validationCode: '512d38b6' },
      },
    ]);
    const answer = await send(`${source.url}?code=s`, body, { 'aeg-event-type': 'SubscriptionValidation' });
    expect([answer.status, await answer.json()]).toEqual([200, { validationResponse: '512d38b6' }]);
    expect((await send(`${source.url}?code=t`, body, {})).status).toBe(401);
    expect(await eventsOf(source)).toEqual([]);
  });

  test('GitHub’s ping and Discord’s', async () => {
    const github = samples.find(({ name }) => name === 'github') as Sample;
    const discord = samples.find(({ name }) => name === 'discord') as Sample;
    const forge = await create({ auth: 'provider', provider: 'github', secret: github.keys.secret });
    const { headers, body } = requestOf({ ...github, headers: { 'x-github-event': 'ping' } }, forge.url);
    expect((await send(forge.url, body, headers)).status).toBe(200);
    const app = await create({ auth: 'provider', provider: 'discord', public_key: discord.keys.public_key });
    const ping = requestOf({ ...discord, body: '{"type":1}' }, app.url);
    expect(await (await send(app.url, ping.body, ping.headers)).json()).toEqual({ type: 1 });
    for (const source of [forge, app]) expect(await eventsOf(source)).toEqual([]);
  });

  test('other methods stay a 405 where a provider asks nothing, and where no source is', async () => {
    const source = await create({ auth: 'provider', provider: 'github' });
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE']) {
      for (const url of [source.url, `${service.url}/whk/nope`]) {
        const answer = await fetch(url, { method });
        expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
      }
    }
  });
});
