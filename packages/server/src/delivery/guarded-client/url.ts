import { invalid, type Problem } from '../../core/errors.ts';
import {
  type AddressPolicy,
  canonicalHost,
  isAddress,
  isLoopbackName,
  LOOPBACK_ADDRESSES,
} from './address.ts';

interface UrlRules {
  readonly allowHttp: boolean;
  readonly policy: AddressPolicy;
}

/**
 * What is wrong with a URL that somebody wants to save, as far as the URL alone can tell. Messages never repeat
 * it: some URLs are secrets.
 */
export function urlProblem(text: string, path: string, rules: UrlRules): Problem | null {
  if (!URL.canParse(text)) return invalid(path, `${path} must be a URL such as https://example.com/hook.`);
  const url = new URL(text);
  if (url.protocol === 'http:' && !rules.allowHttp) {
    return invalid(path, `${path} must begin with https://. The operator has not allowed plain HTTP.`);
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return invalid(path, `${path} must begin with https://.`);
  }
  if (url.username !== '' || url.password !== '') {
    return invalid(path, `${path} may not hold a user name or a password.`);
  }
  return hostProblem(url.hostname, path, rules.policy);
}

export function hostProblem(host: string, path: string, policy: AddressPolicy): Problem | null {
  const name = canonicalHost(host);
  if (name === null) return invalid(path, `${path} must name a host.`);
  const literals = isLoopbackName(name) ? LOOPBACK_ADDRESSES : isAddress(name) ? [name] : null;
  return literals === null || literals.some(policy.isAllowed) ? null : addressProblem(path);
}

export const addressProblem = (path: string): Problem =>
  invalid(
    path,
    `${path} is, or resolves to, a private address. The operator can allow it in SLUICE_ALLOW_ADDRESSES.`,
  );
