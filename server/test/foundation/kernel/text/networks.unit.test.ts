import fc from 'fast-check'
import { expect, test } from 'vitest'
import { networkOf, wideNetworkOf } from '../../../../src/foundation/kernel/text/networks.ts'

test.each([
  ['203.0.113.77', '203.0.113.77', '203.0.113.0/24'],
  ['2001:db8:7:41:9::1', '2001:db8:7:41', '2001:db8:7::/48'],
  ['2001:db8::5', '2001:db8:0:0', '2001:db8:0::/48'],
  ['::1', '0:0:0:0', '0:0:0::/48'],
  ['::ffff:203.0.113.77', '::ffff:203.0.113.77', '203.0.113.0/24'],
  ['unknown', 'unknown', null],
  ['203.0.113.77:5100', '203.0.113.77:5100', null],
])('%s counts as %s, and %s stays of it', (address, counted, kept) => {
  expect(networkOf(address)).toBe(counted)
  expect(wideNetworkOf(address)).toBe(kept)
})

test('what differs only behind /24 or /48 leaves the same network', () => {
  fc.assert(
    fc.property(fc.ipV4(), fc.nat(255), (address, last) => {
      const other = address.replace(/\d+$/, String(last))
      expect(wideNetworkOf(other)).toBe(wideNetworkOf(address))
    }),
  )
  fc.assert(
    fc.property(fc.array(fc.nat(0xffff), { minLength: 8, maxLength: 8 }), fc.nat(0xffff), (groups, other) => {
      const text = (numbers: number[]) => numbers.map((group) => group.toString(16)).join(':')
      expect(wideNetworkOf(text([...groups.slice(0, 3), other, ...groups.slice(4)]))).toBe(wideNetworkOf(text(groups)))
      expect(wideNetworkOf(text(groups))).not.toBe(wideNetworkOf(text([groups[0]! ^ 1, ...groups.slice(1)])))
    }),
  )
})
