import { expect, test } from 'bun:test';
import { openSocket } from '../../test/support/raw-http.ts';
import { serveHttp } from './http.ts';

const answer = async () => Response.json({ data: null });

test('senders that stand still lose their place, wherever in a request they stopped', async () => {
  const server = serveHttp(
    { port: 0, hostname: '127.0.0.1', idleSeconds: 1 },
    {
      ingest: async request => {
        await request.bytes();
        return answer();
      },
      webhook: answer,
      everythingElse: answer,
    },
  );
  const begun = [
    '',
    'POST /v1/ing',
    'POST /v1/ingest HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{',
    'POST /v1/ingest HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab',
    'GET / HTTP/1.1\r\nHost: x\r\n\r\n',
  ];
  const closed = begun.map(async bytes => {
    const socket = await openSocket(server.port);
    const end = new Promise(resolve => socket.on('close', resolve).on('error', resolve).resume());
    if (bytes !== '') socket.write(bytes);
    await end;
  });
  await Promise.all(closed);
  expect((await fetch(`http://127.0.0.1:${server.port}/`)).status).toBe(200);
  await server.cut();
});

test('a handler that throws is answered in the envelope', async () => {
  const fail = () => {
    throw new Error('defect');
  };
  const server = serveHttp(
    { port: 0, hostname: '127.0.0.1' },
    { ingest: fail, webhook: fail, everythingElse: fail },
  );
  for (const path of ['/v1/ingest', '/whk/x', '/']) {
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`, { method: 'POST' });
    expect(response.status).toBe(500);
    expect(await response.json()).toEqual({
      error: { message: 'Something went wrong on our side.', code: 'internal' },
    });
  }
  await server.cut();
});
