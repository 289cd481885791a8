import type { HostileAddress } from './receiver.ts';

/** Configurations of destinations that lead to somebody hostile. */
export const databaseAt = (port: number) => ({
  connection_string: `postgres://u:p@127.0.0.1:${port}/d?sslmode=disable`,
  table: 't',
});

export const mailServerAt = ({ port, config }: HostileAddress) => ({
  host: '127.0.0.1',
  port,
  from: 'sluice@example.com',
  to: ['team@example.com'],
  ...config,
});

export const webServerAt = ({ port, config }: HostileAddress) => ({
  url: `${config?.scheme ?? 'http'}://127.0.0.1:${port}/hook`,
  auth: { mode: 'none' },
});
