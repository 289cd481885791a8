/** The word that lets our own style sheets in, made by the server for each page that it answers. */
export const nonce = (): string =>
  document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? '';

/** Mantine's modals lock the page behind them with a style sheet of a library that looks for the word here. */
export function shareNonce(): void {
  (globalThis as { __webpack_nonce__?: string }).__webpack_nonce__ = nonce();
}
