/**
 * The host that a request was sent to. Old health checkers leave it out, and anybody may write one that is none; Bun then
 * answers an address that cannot be read, or the path alone.
 */

/** Nobody can have it (RFC 6761), so that no origin and no signed address is ever taken for it. */
const STAND_IN = 'http://unknown.invalid';

const NAME = String.raw`(?:[a-z\d]+[.-])*[a-z][a-z\d]*`;
const BYTE = String.raw`(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)`;
const PORT = String.raw`[1-5]?\d{1,4}`;
/** Nearly every host is seen to be one by this, which takes a fraction of the time that the whole address takes. */
const COMMON_HOST = new RegExp(String.raw`^(?:${NAME}|(?:${BYTE}\.){3}${BYTE})(?::${PORT})?$`, 'i');

/**
 * The same request, with an address that can be read: without a usable host, a stand-in before the path and the query as
 * they were sent. A new request would not know its connection, and neither its peer nor its end.
 */
export function withReadableUrl<T extends Request>(request: T): T {
  if (COMMON_HOST.test(request.headers.get('host') ?? '') || URL.canParse(request.url)) return request;
  const path = request.url.replace(/^(?:http:\/\/[^/]*)?\//, '');
  return Object.defineProperty(request, 'url', { value: new URL(`${STAND_IN}/${path}`).href });
}
