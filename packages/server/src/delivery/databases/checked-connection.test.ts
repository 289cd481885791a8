import { expect, test } from 'bun:test';
import { createServer, type Socket } from 'node:net';
import { answer, completed, ready, servePostgres } from '../../../test/support/hostile/fake-postgres.ts';
import { createPools } from './pools.ts';

test('a kept connection over which the server is ready again, unasked, is closed', async () => {
  const { promise: connected, resolve: onConnection } = Promise.withResolvers<Socket>();
  const serve = servePostgres({ query: answer(completed, ready) });
  const server = createServer(socket => {
    serve(socket);
    onConnection(socket);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const place = { addresses: ['127.0.0.1'], serverName: null, port, tls: false, ca: undefined };
  const database = { key: 'a', user: 'u', password: 'p', database: 'd', ...place };
  const pools = createPools();
  try {
    const used = await pools.use(database, 60_000, client => client.query('SELECT $1', ['x']));
    expect(used.kind).toBe('done');
    const socket = await connected;
    const closed = new Promise<string>(resolve => socket.on('close', () => resolve('closed')));
    socket.on('error', () => {});
    socket.write(ready);
    expect(await closed).toBe('closed');
  } finally {
    pools.letGo('a');
    server.close();
  }
});
