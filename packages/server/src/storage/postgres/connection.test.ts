import { describe, expect, test } from 'bun:test';
import { readConnections } from './connection.ts';

const readAll = (url: string) =>
  readConnections(url).map(({ password, ...rest }) => ({
    ...rest,
    password: typeof password === 'function' ? password() : password,
  }));
const read = (url: string) => readAll(url)[0];

describe('a connection is what its URL says', () => {
  test('every part of it', () => {
    expect(read('postgres://ada:p%40ss@db.example.com:6543/sluice')).toEqual({
      host: 'db.example.com',
      port: 6543,
      user: 'ada',
      password: 'p@ss',
      database: 'sluice',
      ssl: false,
    });
  });

  test('with the usual port and no password where it names none', () => {
    expect(read('postgresql://ada@[::1]/sluice')).toMatchObject({ host: '::1', port: 5432, password: '' });
  });

  test('with TLS as asked', () => {
    expect(read('postgres://ada@db/sluice?sslmode=verify-full')?.ssl).toEqual({});
    expect(read('postgres://ada@db/sluice?sslmode=no-verify')?.ssl).toEqual({ rejectUnauthorized: false });
    expect(read('postgres://ada@db/sluice?sslmode=disable')?.ssl).toBe(false);
  });

  test('on a socket, where its host is a folder', () => {
    expect(read('postgres://ada@%2Frun%2Fpostgresql/sluice')?.host).toBe('/run/postgresql');
  });

  test('one for each of several hosts, with its own port and all the rest alike', () => {
    const url = 'postgres://ada:p%2Css@one,two:5433,[::1]:5434/sluice?sslmode=disable';
    expect(readAll(url)).toEqual(
      (
        [
          ['one', 5432],
          ['two', 5433],
          ['::1', 5434],
        ] as const
      ).map(([host, port]) => ({
        ...{ host, port, user: 'ada', password: 'p,ss', database: 'sluice', ssl: false },
      })),
    );
  });

  test.each([
    ['postgres://ada@one,two:x,three/sluice', 'name or name:port'],
    ['postgres://ada@one,,three/sluice', 'name or name:port'],
    ['postgres://ada@db/sluice?host=elsewhere', '"host"'],
    ['postgres://ada@db/sluice?port=1', '"port"'],
    ['postgres://ada@db/sluice?user=eve', '"user"'],
    ['postgres://ada@db/sluice?password=x', '"password"'],
    ['postgres://ada@db/sluice?options=-c%20fsync%3Doff', '"options"'],
    ['postgres://ada@db/sluice?sslmod=require', '"sslmod"'],
    ['postgres://ada@db/sluice?sslmode=require&sslmode=disable', '"sslmode"'],
    ['postgres://db/sluice', 'must name the user'],
    ['postgres://ada@db', 'must name the database'],
    ['postgres:///sluice', 'must name the host'],
  ])('or it is refused: %s', (url, reason) => {
    expect(() => readConnections(url)).toThrow(reason);
  });
});
