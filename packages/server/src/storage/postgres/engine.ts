import type { StorageEngine } from '../../core/ports.ts';
export async function openPostgres(_options: {
  url: string;
  onFatal(reason: string): void;
}): Promise<StorageEngine> {
  throw new Error('not yet');
}
