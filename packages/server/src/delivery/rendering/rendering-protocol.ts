import type { RenderedDelivery } from '../destination.ts';

/** What the thread that renders large deliveries is asked for, and what it answers. */
export interface RenderingCall {
  readonly call: number;
  readonly kind: string;
  readonly config: unknown;
  readonly delivery: RenderedDelivery;
}

export type RenderingReply =
  | { readonly kind: 'rendered'; readonly call: number; readonly value: unknown }
  | { readonly kind: 'failed'; readonly call: number; readonly message: string };
