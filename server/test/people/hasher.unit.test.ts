import { describe, expect, test } from 'vitest'
import { PasswordHasher, passwordHasher } from '../../src/people/passwords/hasher.ts'

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
