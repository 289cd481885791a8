import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Which addresses may be connected to: public ones, and what the operator lists. An address that carries another
 * one inside (mapped, NAT64, 6to4, ISATAP) is judged by the inner one too, since that is where its packets end.
 */
export interface AddressPolicy {
  isAllowed(address: string): boolean;
  /** Whether it is allowed because the operator lists it, and not because it is everybody's. */
  isListed(address: string): boolean;
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;

export function createAddressPolicy(allowedNetworks: readonly string[]): AddressPolicy {
  const allowed = allowedNetworks.map(parseNetwork);
  const isListed = (address: Address) =>
    allowed.some(
      ([network, bits]) => network.kind() === address.kind() && address.match(network as ipaddr.IPv4, bits),
    );

  const isAllowed = (address: Address): boolean => {
    if (isListed(address)) return true;
    if (address.kind() === 'ipv4') return isPublic(address);
    const { carrier, inner } = carriedAddress(address as ipaddr.IPv6);
    return (carrier === 'translated' || isPublic(address)) && (inner === null || isAllowed(inner));
  };
  return {
    isAllowed: text => ipaddr.isValid(text) && isAllowed(ipaddr.parse(text)),
    isListed: text => ipaddr.isValid(text) && isListed(ipaddr.parse(text)),
  };
}

function parseNetwork(cidr: string): [Address, number] {
  if (cidr.includes('/')) return ipaddr.parseCIDR(cidr);
  const address = ipaddr.parse(cidr);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}

/** Public by its number, and answered by the machine's own host: Azure's, with the secrets of the machine. */
const OF_THE_HOST = new Set(['168.63.129.16']);

function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast' || OF_THE_HOST.has(address.toString())) return false;
  // Only 2000::/3 is global unicast; the library calls everything unicast that nobody has reserved by name.
  return address.kind() === 'ipv4' || (((address as ipaddr.IPv6).parts[0] ?? 0) & 0xe000) === 0x2000;
}

interface Carried {
  /** A translated address is only another spelling of the inner one; a tunnel has an end of its own as well. */
  readonly carrier: 'none' | 'translated' | 'tunnel';
  readonly inner: ipaddr.IPv4 | null;
}

function carriedAddress(address: ipaddr.IPv6): Carried {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = address.parts;
  const isMapped = a + b + c + d + e === 0 && f === 0xffff;
  // ::a.b.c.d, long deprecated, and still understood by some stacks. :: and ::1 are themselves.
  const isCompatible = a + b + c + d + e + f === 0 && (g !== 0 || h > 1);
  const isNat64 = a === 0x64 && b === 0xff9b && c + d + e + f === 0;
  if (isMapped || isCompatible || isNat64) return { carrier: 'translated', inner: fromParts(g, h) };
  if (a === 0x2002) return { carrier: 'translated', inner: fromParts(b, c) };
  const isIsatap = f === 0x5efe && (e & 0xfdff) === 0;
  return isIsatap ? { carrier: 'tunnel', inner: fromParts(g, h) } : { carrier: 'none', inner: null };
}

const fromParts = (high: number, low: number): ipaddr.IPv4 =>
  new ipaddr.IPv4([high >> 8, high & 0xff, low >> 8, low & 0xff]);

/**
 * A host as a URL would read it, whatever its spelling: `0x7f.1` is 127.0.0.1, `EXAMPLE.com.` is example.com,
 * an IPv6 address stands without brackets. Null where it is no host at all.
 */
export function canonicalHost(host: string): string | null {
  const bare = host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
  if (bare.includes(':')) return ipaddr.IPv6.isValid(bare) ? ipaddr.IPv6.parse(bare).toString() : null;
  if (bare === '' || /[\s/\\?#@[\]]/.test(bare)) return null;
  const url = `http://${bare}/`;
  const name = URL.canParse(url) ? new URL(url).hostname.replace(/\.$/, '') : '';
  return name === '' || name.endsWith('.') ? null : name;
}

/** Whether a canonical host is an address rather than a name. */
export const isAddress = (host: string): boolean => isIP(host) !== 0;

/** Names that mean this machine, wherever they are asked about (RFC 6761). */
export const isLoopbackName = (name: string): boolean => name === 'localhost' || name.endsWith('.localhost');

export const LOOPBACK_ADDRESSES = ['127.0.0.1', '::1'] as const;
