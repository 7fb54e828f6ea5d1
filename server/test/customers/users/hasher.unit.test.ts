import { describe, expect, test } from 'vitest'
import { PasswordHasher, passwordHasher } from '../../../src/customers/users/passwords/hasher.ts'

const asker = { email: 'mara@people.example', address: '192.0.2.1' }
const cheapest = () => {
  const hasher = new PasswordHasher()
  hasher.useCost({ memoryCost: 8, timeCost: 1 })
  return hasher
}

describe('hashes of passwords', () => {
  test('have the cost that OWASP recommends', async () => {
    expect(await passwordHasher.hash('correct horse', asker)).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  })

  test('are verified whatever their cost', async () => {
    const cheap = await cheapest().hash('correct horse', asker)
    expect(cheap).toMatch(/^\$argon2id\$v=19\$m=8,t=1,p=1\$/)
    expect(await passwordHasher.verify('correct horse', cheap, asker)).toBe(true)
    expect(await passwordHasher.verify('correct hearse', cheap, asker)).toBe(false)
    expect(await cheapest().verify('correct horse', await passwordHasher.hash('correct horse', asker), asker)).toBe(
      true,
    )
  })

  test('of nobody are verified like others, and no password is theirs', async () => {
    for (const hasher of [new PasswordHasher(), cheapest()]) {
      expect(await hasher.verify('', null, asker)).toBe(false)
      expect(hasher.verifications).toBe(1)
    }
  })
})

describe('places to wait', () => {
  /** How many of these are refused with a 503; the others are verified. */
  async function refusedOf(hasher: PasswordHasher, askers: readonly { email: string; address: string }[]) {
    const results = await Promise.allSettled(askers.map((each) => hasher.verify('a password', null, each)))
    const refused = results.filter((result) => result.status === 'rejected').map(({ reason }) => reason.code)
    expect(refused.every((code) => code === 'service_unavailable')).toBe(true)
    return refused.length
  }
  const from = (network: number) => `198.51.100.${network}`

  test('are few for one person, from however many networks and however their address is written', async () => {
    const hasher = cheapest()
    const hog = Array.from({ length: 30 }, (_, index) => ({
      email: index % 2 ? 'Hog@People.example' : 'hog@people.example',
      address: from(index),
    }))
    const others = Array.from({ length: 10 }, (_, index) => ({
      email: `other-${index}@people.example`,
      address: from(100 + index),
    }))
    expect(await refusedOf(hasher, [...hog, ...others])).toBe(26)
  })

  test('are half of all for one network, and its people do not keep others waiting until they are done', async () => {
    const hasher = cheapest()
    const office = Array.from({ length: 60 }, (_, index) => ({ email: `o-${index}@people.example`, address: from(1) }))
    const ended: string[] = []
    const verify = async (each: { email: string; address: string }) => {
      await hasher.verify('a password', null, each).catch(() => {})
      ended.push(each.email)
    }
    const working = office.slice(0, 34).map(verify)
    expect(await refusedOf(hasher, office.slice(34))).toBe(26)
    const other = { email: 'other@people.example', address: from(2) }
    await Promise.all([...working, verify(other)])
    expect(ended.indexOf(other.email)).toBeLessThan(ended.length - 1)
  })
})
