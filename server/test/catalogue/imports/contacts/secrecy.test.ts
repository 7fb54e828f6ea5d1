import { expect, test } from 'vitest'
import { openContact } from '../../../../src/foundation/encryption/keyring.ts'
import { normalizeEmail } from '../../../../src/foundation/kernel/channels/email.ts'
import { normalizePhone } from '../../../../src/foundation/kernel/channels/phone.ts'
import { normalizeProfile } from '../../../../src/foundation/kernel/channels/profile.ts'
import { generateContacts } from '../../../support/records/contact-records.ts'
import { generateStores } from '../../../support/records/store-records.ts'
import { openTestCatalogue } from '../support/test-catalogue.ts'

test('outside the sealed column the database contains no channel and no last name', async () => {
  const catalogue = await openTestCatalogue()
  const stores = [...generateStores(60)]
  const people = [...generateContacts(stores)].map((person, number) => ({
    ...person,
    last_name: `Hidden${number}name`,
    full_name: `Whole Hidden${number}name`,
    external_id: `hidden-id-${number}`,
  }))
  await catalogue.importStores(stores)
  expect(await catalogue.importContacts(people)).toMatchObject({ inserted: people.length, rejected: 0 })
  await catalogue.importContacts(people.map((person) => ({ ...person, title: 'Once more' })))

  const texts = await Promise.all(
    ['stores', 'store_domains', 'installation', 'catalogue_state', 'taxonomy_values', 'suppressions'].map(
      async (table) => (await catalogue.db.query(`select ${table}::text as row from ${table}`)).rows,
    ),
  )
  const columns = `store_id, number, encode(external_key, 'escape') as key, role, traits, place, revealable,
    verified_revealable, verified_emails, preview, preview_version, identities::text as hashes`
  const contacts = (await catalogue.db.query(`select ${columns} from contacts`)).rows
  expect(contacts).toHaveLength(people.length)
  const dump = JSON.stringify([...texts.flat(), ...contacts]).toLowerCase()
  expect(dump).toContain('once more')

  const secrets = people.flatMap(({ emails, phones, profile_url, last_name, external_id }) => [
    ...(emails ?? []).flatMap(({ email }) => [email, normalizeEmail(email)!, email.split('@')[0]!]),
    ...(phones ?? []).flatMap(({ phone }) => [phone, phone.slice(1), normalizePhone(phone, null)!]),
    ...(profile_url ? [profile_url, normalizeProfile(profile_url)!] : []),
    last_name,
    external_id,
  ])
  expect(secrets.length).toBeGreaterThan(people.length * 3)
  expect(secrets.filter((secret) => dump.includes(secret.toLowerCase()))).toEqual([])
})

test('equal contacts are sealed to different bytes, and a sealed contact opens only in its own row', async () => {
  const catalogue = await openTestCatalogue()
  await catalogue.importStores([{ domain: 'a.example' }, { domain: 'b.example' }])
  const alike = { external_id: 'alike', full_name: 'Just Alike' }
  await catalogue.importContacts([
    { store_domain: 'a.example', ...alike },
    { store_domain: 'b.example', ...alike },
  ])
  const { rows } = await catalogue.db.query<{ store_id: number; sealed: Buffer }>(
    'select store_id, sealed from contacts',
  )
  const [one, other] = rows
  expect(one!.sealed.equals(other!.sealed)).toBe(false)
  const { sealer } = catalogue.context.seals
  expect(() => openContact(sealer, one!.store_id, 0, one!.sealed)).not.toThrow()
  expect(() => openContact(sealer, other!.store_id, 0, one!.sealed)).toThrow('altered')
})
