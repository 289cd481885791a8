import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { canonicalHost, createAddressPolicy, isAddress } from './address.ts';

const publicOnly = createAddressPolicy([]);

describe('an address may be connected to', () => {
  const cases: [string, boolean][] = [
    ['8.8.8.8', true],
    ['93.184.216.34', true],
    ['2606:4700:4700::1111', true],
    ['2a00:1450:4001:81b::200e', true],
    ['0.0.0.0', false],
    ['10.1.2.3', false],
    ['100.64.0.1', false],
    ['127.0.0.1', false],
    ['127.255.255.254', false],
    ['168.63.129.16', false],
    ['::ffff:168.63.129.16', false],
    ['168.63.129.17', true],
    ['169.254.169.254', false],
    ['172.16.0.1', false],
    ['172.31.255.255', false],
    ['172.32.0.1', true],
    ['192.0.0.192', false],
    ['192.0.2.1', false],
    ['192.168.1.1', false],
    ['198.18.0.1', false],
    ['224.0.0.1', false],
    ['240.0.0.1', false],
    ['255.255.255.255', false],
    ['::', false],
    ['::1', false],
    ['::127.0.0.1', false],
    ['::8.8.8.8', true],
    ['::ffff:10.0.0.1', false],
    ['::ffff:8.8.8.8', true],
    ['::ffff:0:10.0.0.1', false],
    ['64:ff9b::a9fe:a9fe', false],
    ['64:ff9b::808:808', true],
    ['64:ff9b:1::a00:1', false],
    ['2002:7f00:1::', false],
    ['2002:a9fe:a9fe::1', false],
    ['2002:808:808::1', true],
    ['2001:0:a00:1::', false],
    ['2001:db8::1', false],
    ['2a00:1450::5efe:10.0.0.1', false],
    ['2a00:1450::200:5efe:192.168.0.1', false],
    ['fe80::5efe:8.8.8.8', false],
    ['fc00::1', false],
    ['fd12:3456::1', false],
    ['fe80::1', false],
    ['fe80::1%eth0', false],
    ['fec0::1', false],
    ['ff02::1', false],
    ['4000::1', false],
    ['100::1', false],
    ['not an address', false],
  ];
  for (const [address, isAllowed] of cases) {
    test(`${address}: ${isAllowed ? 'yes' : 'no'}`, () =>
      expect(publicOnly.isAllowed(address)).toBe(isAllowed));
  }

  test('where the operator lists its network, however the address is wrapped', () => {
    const policy = createAddressPolicy(['10.0.0.0/8', '127.0.0.1', 'fd00::/8']);
    const verdicts = (addresses: string[]) => addresses.map(policy.isAllowed);
    expect(verdicts(['10.1.2.3', '::ffff:10.1.2.3', '64:ff9b::a01:203', '127.0.0.1', 'fd00::1'])).toEqual([
      true,
      true,
      true,
      true,
      true,
    ]);
    expect(verdicts(['11.0.0.1', '127.0.0.2', '192.168.0.1', 'fc00::1'])).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });

  test('never by a private IPv4 address in any wrapping', () => {
    const octet = fc.integer({ min: 0, max: 255 });
    const isPrivate = fc.oneof(
      fc.tuple(fc.constant(10), octet, octet, octet),
      fc.tuple(fc.constant(127), octet, octet, octet),
      fc.tuple(fc.constant(192), fc.constant(168), octet, octet),
      fc.tuple(fc.constant(169), fc.constant(254), octet, octet),
      fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), octet, octet),
    );
    fc.assert(
      fc.property(isPrivate, ([a, b, c, d]) => {
        const high = ((a << 8) | b).toString(16);
        const low = ((c << 8) | d).toString(16);
        const spellings = [
          `${a}.${b}.${c}.${d}`,
          `::ffff:${high}:${low}`,
          `::${high}:${low}`,
          `64:ff9b::${high}:${low}`,
          `2002:${high}:${low}::1`,
          `2a00::5efe:${high}:${low}`,
        ];
        expect(spellings.filter(publicOnly.isAllowed)).toEqual([]);
      }),
    );
  });
});

describe('a host is read as a URL would read it', () => {
  const cases: [string, string | null][] = [
    ['EXAMPLE.com.', 'example.com'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['127.1', '127.0.0.1'],
    ['0x7f.1', '127.0.0.1'],
    ['0x7f000001', '127.0.0.1'],
    ['2130706433', '127.0.0.1'],
    ['017700000001', '127.0.0.1'],
    ['0177.0.0.01', '127.0.0.1'],
    ['127.0.0.1.', '127.0.0.1'],
    ['0', '0.0.0.0'],
    ['%31%32%37.0.0.1', '127.0.0.1'],
    ['１２７。0。0。1', '127.0.0.1'],
    ['①②⑦.⓪.⓪.①', '127.0.0.1'],
    ['[::ffff:10.0.0.1]', '::ffff:a00:1'],
    ['::1', '::1'],
    ['localhost.', 'localhost'],
    ['300.1.1.1', null],
    ['1.2.3.4.5', null],
    ['example.com:443', null],
    ['user@example.com', null],
    ['example.com/path', null],
    ['exam\nple.com', null],
    ['..', null],
    ['', null],
  ];
  for (const [host, canonical] of cases) {
    test(JSON.stringify(host), () => expect(canonicalHost(host)).toBe(canonical));
  }

  test('and an address in any spelling is known for one', () => {
    fc.assert(
      fc.property(fc.nat(0xffffffff), n => {
        for (const spelling of [String(n), `0x${n.toString(16)}`, `0${n.toString(8)}`]) {
          expect(isAddress(canonicalHost(spelling) ?? '')).toBe(true);
        }
      }),
    );
  });
});
