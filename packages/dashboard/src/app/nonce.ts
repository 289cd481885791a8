/** The word that lets our own style sheets in, made by the server for each page that it answers. */
export const nonce = (): string =>
  document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? '';
