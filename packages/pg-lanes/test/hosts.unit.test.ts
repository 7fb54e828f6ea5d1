import { describe, expect, test } from 'vitest'
import { listHosts, normalizeHosts, readableHosts, writableHosts } from '../src/hosts.ts'

const start = 'postgres://me:a%2Cb%40c@'
const hostsOf = (given: string, rules = writableHosts) => {
  const { hosts, target } = listHosts(normalizeHosts(given, rules))
  return { urls: hosts.map(({ url }) => url), target }
}
const addressesOf = (given: string) =>
  listHosts(normalizeHosts(given, writableHosts)).hosts.map(({ address }) => address)

describe('a list of hosts', () => {
  test('is read as libpq reads it: in the address or in the query, with ports for each or one for all', () => {
    expect(addressesOf(`${start}a:6001,b/shops`)).toEqual(['a:6001', 'b:5432'])
    expect(addressesOf(`${start}a,b:6002,c:/shops`)).toEqual(['a:5432', 'b:6002', 'c:5432'])
    expect(addressesOf(`${start}[::1]:6001,[2001:db8::7],10.0.0.1:6003/shops`)).toEqual([
      '[::1]:6001',
      '[2001:db8::7]:5432',
      '10.0.0.1:6003',
    ])
    expect(addressesOf('postgresql:///shops?host=a,b&port=6001,6002&user=me')).toEqual(['a:6001', 'b:6002'])
    expect(addressesOf('postgresql:///shops?host=a,b&port=6001')).toEqual(['a:6001', 'b:6001'])
    expect(addressesOf('postgresql:///shops?host=a,::1&port=,6002')).toEqual(['a:5432', '[::1]:6002'])
    expect(addressesOf('postgresql://%2Frun%2Fa:6001,b/shops')).toEqual(['/run/a:6001', 'b:5432'])
    expect(addressesOf('postgresql://ignored/shops?host=a,b')).toEqual(['a:5432', 'b:5432'])
  })

  test('becomes one URL for each host, with everything else as given', () => {
    expect(hostsOf(`${start}a:6001,[::1]:6002/shops?sslmode=verify-full&application_name=x`)).toEqual({
      urls: [
        `${start}a:6001/shops?sslmode=verify-full&application_name=x`,
        `${start}[::1]:6002/shops?sslmode=verify-full&application_name=x`,
      ],
      target: 'read-write',
    })
    expect(hostsOf(`${start}%2Frun%2Fa:6001,b/shops`).urls).toEqual([
      `${start}localhost:6001/shops?host=%2Frun%2Fa`,
      `${start}b:5432/shops`,
    ])
  })

  test('leads to a server that can be written, unless the URL says otherwise', () => {
    expect(hostsOf(`${start}a,b/shops`).target).toBe('read-write')
    expect(hostsOf(`${start}a,b/shops?target_session_attrs=primary`).target).toBe('primary')
    expect(hostsOf(`${start}a,b/shops?target_session_attrs=any`).target).toBe('any')
    expect(hostsOf(`${start}a/shops?target_session_attrs=read-write`)).toEqual({
      urls: [`${start}a/shops`],
      target: 'read-write',
    })
  })

  test('of a server for reads prefers a standby', () => {
    expect(hostsOf(`${start}a,b/shops`, readableHosts).target).toBe('prefer-standby')
    expect(hostsOf(`${start}a,b/shops?target_session_attrs=standby`, readableHosts).target).toBe('standby')
  })

  test('may be written with a user whose name holds the signs of a list', () => {
    expect(addressesOf('postgres://a,b:c@d,e@host/shops')).toEqual(['host:5432'])
    expect(addressesOf('postgres://a,b:c@d,e@host,other/shops')).toEqual(['host:5432', 'other:5432'])
  })
})

test('a URL with one host is passed on as it is', () => {
  for (const url of [
    `${start}a/shops`,
    `${start}[::1]:6001/shops?sslmode=require`,
    'postgres://localhost/shops?host=/run/postgresql',
    'no URL at all',
  ])
    expect(normalizeHosts(url, writableHosts)).toBe(url)
  expect(hostsOf(`${start}a/shops?x=1`)).toEqual({ urls: [`${start}a/shops?x=1`], target: 'any' })
})

test.each([
  [`${start}a,,b/shops`, /an entry that is no host name/],
  [`${start}a,/shops`, /an entry that is no host name/],
  [`${start}a,b c/shops`, /an entry that is no host name/],
  [`${start}a,b%zz/shops`, /an entry that is no host name/],
  [`${start}a,[::x]/shops`, /an entry that is no host name/],
  [`${start}a,b:0/shops`, /a port outside 1 to 65535/],
  [`${start}a:65536,b/shops`, /a port outside 1 to 65535/],
  [`${start}a:x,b/shops`, /a port outside 1 to 65535/],
  ['postgres:///shops?host=a,b,c&port=1,2', /as many ports as hosts/],
  ['postgres:///shops?host=a&port=1,2', /as many ports as hosts/],
  [`${start}a,b/shops?target_session_attrs=standby`, /the service has to write, so use any, read-write, primary$/],
  [`${start}a/shops?target_session_attrs=writable`, /the service has to write/],
  [`${start}a/shops?hostaddr=10.0.0.1`, /hostaddr, which is not supported/],
  [`${start}a,b/shops?load_balance_hosts=random`, /load_balance_hosts, which is not supported/],
])('%s is refused in words without it', (url, sentence) => {
  expect(() => normalizeHosts(url, writableHosts)).toThrow(sentence)
  expect(() => normalizeHosts(url, writableHosts)).not.toThrow(/me:|a%2Cb/)
})
