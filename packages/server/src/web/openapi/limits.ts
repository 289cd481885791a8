import type { EventLimits } from '@sluice/contract';

/** The limits of this installation, which the reference states as they are. */
export interface DocumentedLimits extends EventLimits {
  readonly bodyBytes: number;
  readonly eventBytes: number;
  readonly nesting: number;
  readonly idempotencyKeyLength: number;
}

export const sizeRules = (limits: DocumentedLimits): string =>
  `A body may be up to ${readable(limits.bodyBytes)} and one event ${readable(limits.eventBytes)}, also after \`Content-Encoding: gzip\` is decoded, and a payload may be nested up to ${limits.nesting} levels deep.`;

/** As round as it is: `5 MiB`, else the bytes. */
function readable(bytes: number): string {
  for (const [unit, size] of [
    ['MiB', 1024 * 1024],
    ['KiB', 1024],
  ] as const) {
    if (bytes % size === 0) return `${bytes / size} ${unit}`;
  }
  return `${bytes} bytes`;
}
