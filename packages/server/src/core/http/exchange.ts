/** What is kept of an exchange beside its bodies: the headers of the response, and how long each phase took. */
export interface Exchange {
  readonly headers: Readonly<Record<string, string>>;
  readonly phases: Phases;
}

/** In milliseconds. What could not be measured, or was never reached, is absent. */
export interface Phases {
  readonly dns_ms?: number;
  /** From the look-up to the first byte: connecting, TLS, the request and waiting, which nobody can tell apart. */
  readonly first_byte_ms?: number;
  readonly body_ms?: number;
}

const MOST_HEADERS = 50;
const MOST_CHARACTERS = 8 * 1024;
const LONGEST_VALUE = 1_024;

/** Credentials of a session, and whatever is called so. A token for idempotency is an id. */
const SECRET_NAME =
  /cookie|authoriz|authentication-info|^proxy-|signature|secret|password|credential|session|csrf|jwt|api-?key|^(?!.*idempotency).*token/;

/** The headers of a response for people to read: bounded, and without what may be a secret. */
export function shownHeaders(headers: Headers): Record<string, string> {
  const shown: Record<string, string> = {};
  let room = MOST_CHARACTERS;
  let count = 0;
  headers.forEach((value, name) => {
    const text = SECRET_NAME.test(name)
      ? '…'
      : value.length > LONGEST_VALUE
        ? `${value.slice(0, LONGEST_VALUE)}…`
        : value;
    const size = name.length + text.length;
    if (Object.hasOwn(shown, name) || count === MOST_HEADERS || size > room) return;
    room -= size;
    count++;
    shown[name] = text;
  });
  return shown;
}
