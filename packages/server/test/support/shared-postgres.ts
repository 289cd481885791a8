import { startPostgres } from './postgres.ts';

/**
 * One PostgreSQL for all test files of a run, started by `npm test`: it says its address in one line, and ends when its
 * input does. A file that runs alone starts one of its own.
 */
const server = await startPostgres(['max_connections=300']);
console.log(server.url);
for await (const _ of process.stdin);
await server.remove();
