import { beforeEach, describe, expect, test } from 'vitest'
import { eraseContacts } from '../../../../src/catalogue/erasure/erase-contacts.ts'
import { importContacts } from '../../../../src/catalogue/imports/contacts/import-contacts.ts'
import { importSuppressions } from '../../../../src/catalogue/imports/suppressions/import-suppressions.ts'
import { readStoredPeople } from '../support/stored-people.ts'
import { openTestCatalogue, type TestCatalogue } from '../support/test-catalogue.ts'

let catalogue: TestCatalogue
beforeEach(async () => {
  catalogue = await openTestCatalogue()
  await catalogue.importStores([{ domain: 'shop.example', country: 'DE' }])
})

const header = 'store_domain,first_name,last_name,title,emails.0.email,emails.0.status,emails.0.type'
const csv = (...rows: string[]) => [header, ...rows.map((row) => `shop.example,${row}`)].join('\n')

/** What is stored of each person: name, title, addresses with their status. */
async function stored(): Promise<string[]> {
  return (await readStoredPeople(catalogue)).map(({ facts }) =>
    [
      [facts.first_name, facts.last_name].filter((part) => part !== null).join(' ') || '–',
      facts.title ?? '–',
      facts.emails.map(({ email, status }) => `${email} ${status}`).join(' & ') || '–',
    ].join(' | '),
  )
}

async function importCsv(text: string, onBadValue: 'drop' | 'reject' = 'reject') {
  const file = await catalogue.write('people.csv', text)
  return importContacts(catalogue.context, { file, extendTaxonomy: false, onBadValue })
}

describe('people with one address', () => {
  const team = csv(
    'Anna,Moss,Owner,info@shop.example,,',
    'Ben,Stone,Buyer,info@shop.example,,',
    'Cleo,Reed,Sales,info@shop.example,,',
  )

  test('are three people at info@, and importing them again changes nothing', async () => {
    expect(await importCsv(team)).toMatchObject({ read: 3, inserted: 3, updated: 0, rejected: 0 })
    expect(await importCsv(team)).toMatchObject({ unchanged: 3, inserted: 0, updated: 0 })
    const reversed = csv(
      ...team
        .split('\n')
        .slice(1)
        .reverse()
        .map((row) => row.replace('shop.example,', '')),
    )
    expect(await importCsv(reversed)).toMatchObject({ unchanged: 3, inserted: 0, updated: 0 })
    expect((await stored()).map((person) => person.split(' | ')[0]).sort()).toEqual([
      'Anna Moss',
      'Ben Stone',
      'Cleo Reed',
    ])
  })

  test('stay apart at an address that looks like a person’s, in one file and in two', async () => {
    await importCsv(csv('Anna,Moss,Owner,anna@shop.example,verified,work'))
    expect(
      await importCsv(csv('Ben,Stone,Buyer,anna@shop.example,,', 'Anna,Stone,Buyer,anna@shop.example,,')),
    ).toMatchObject({
      inserted: 2,
      updated: 0,
    })
    expect(await importCsv(csv('Ben,Stone,Head of Buying,anna@shop.example,,'))).toMatchObject({
      inserted: 0,
      updated: 1,
    })
    expect((await stored()).sort()).toEqual([
      'Anna Moss | Owner | anna@shop.example verified',
      'Anna Stone | Buyer | anna@shop.example unknown',
      'Ben Stone | Head of Buying | anna@shop.example unknown',
    ])
  })

  test.each(['A.,Moss', 'ANNA,Moß'.replace('ß', 'ss'), 'Moss,Anna', 'Dr. Anna,Moss', 'Ánna,', ','])(
    'are one if the names can be one person’s: %s',
    async (name) => {
      await importCsv(csv('Anna,Moss,Owner,anna@shop.example,verified,work'))
      expect(await importCsv(csv(`${name},Chair,anna@shop.example,verified,work`))).toMatchObject({ updated: 1 })
      expect(await stored()).toHaveLength(1)
    },
  )

  test('a mailbox of a role without a name is a contact of its own', async () => {
    expect(await importCsv(csv(',,,info@shop.example,,', 'Anna,Moss,,info@shop.example,,'))).toMatchObject({
      inserted: 2,
    })
    expect(await importCsv(csv(',,,info@shop.example,,', 'Anna,Moss,,info@shop.example,,'))).toMatchObject({
      unchanged: 2,
    })
  })

  test('somebody whom an earlier version stored under the address alone is found, and kept away once erased', async () => {
    await importCsv(team)
    const anna = (await readStoredPeople(catalogue)).find(({ facts }) => facts.first_name === 'Anna')!
    const key = catalogue.context.seals.identities.externalKey(['email', 'info@shop.example'])
    await catalogue.db.query('update contacts set external_key = $1 where store_id = $2 and number = $3', [
      key,
      anna.storeId,
      anna.number,
    ])
    expect(await importCsv(team)).toMatchObject({ unchanged: 3, inserted: 0, updated: 0 })
    await eraseContacts(catalogue.context, { id: anna.id })
    const again = await importCsv(csv('Anna,Moss,Owner,info@shop.example,,'))
    expect(again).toMatchObject({ inserted: 0, rejected: 1 })
    expect((await stored()).map((person) => person.split(' | ')[0]).sort()).toEqual(['Ben Stone', 'Cleo Reed'])
  })

  test('one of them is erased, and the others stay and can come again', async () => {
    await importCsv(team)
    const people = await readStoredPeople(catalogue)
    const anna = people.find(({ facts }) => facts.first_name === 'Anna')!
    await eraseContacts(catalogue.context, { id: anna.id })
    expect(await importCsv(team)).toMatchObject({ unchanged: 2, inserted: 0, rejected: 1 })
  })
})

test.each([
  ['Kate@Shop.EXAMPLE', 'Kate@shop.example'],
  ['kate@shop.example.', 'kate@shop.example'],
  ['kate＠shop.example', 'kate@shop.example'],
  ['mailto:kate@shop.example?subject=Hi', 'kate@shop.example'],
  ['Kate Moss <kate@shop.example>', 'kate@shop.example'],
  ['kate@müller.example', 'kate@xn--mller-kva.example'],
  ['kate@shop.example;', 'kate@shop.example'],
  ['\u200bkate@shop.example\u202c', 'kate@shop.example'],
])('the address %j is stored as %s, and an erased person is recognised by it', async (written, address) => {
  const people = csv(`Kate,Moss,,"${written}",verified,work`)
  expect(await importCsv(people)).toMatchObject({ inserted: 1 })
  expect(await stored()).toEqual([`Kate Moss | – | ${address} verified`])
  await eraseContacts(catalogue.context, { email: address })
  expect(await importCsv(people)).toMatchObject({ inserted: 0, rejected: 1 })
})

test.each([
  'kate@shop.example/contact',
  'kate@shop.example?x=1',
  'kate@shop.example#top',
  'kate@shop.example:25',
  'kate@https://shop.example',
  'kate@[127.0.0.1]',
  'kate\u00a0moss@shop.example',
  'kate@shop\u00a0.example',
  'ka\u200bte@shop.example',
  'kate@shop\u200d.example',
  'kate@\u202eshop.example',
  'kate@shop.example/＠x',
  'kate%40shop.example',
  'kate@shop',
  '.kate@shop.example',
  'kate@@shop.example',
  'kate@shop.example, ben@shop.example',
])('%j is no address: it is told, and not stored', async (written) => {
  const result = await importCsv(csv(`Kate,Moss,,"${written}",verified,work`), 'drop')
  expect(result).toMatchObject({ inserted: 1, dropped: 1 })
  expect(result.problems).toMatchObject([
    { field: 'emails.email', reason: expect.stringMatching(/^(is not an email address|contains control characters)$/) },
  ])
  expect(await stored()).toEqual(['Kate Moss | – | –'])
  const exact = await catalogue.importContacts([
    { store_domain: 'shop.example', external_id: 'k', emails: [{ email: written }] },
  ])
  expect(exact).toMatchObject({ rejected: 1 })
})

test('in JSON an address is stored in the same form, and a suppressed one is recognised', async () => {
  const kate = { store_domain: 'shop.example', external_id: 'k', emails: [{ email: 'Kate@SHOP.example.' }] }
  expect(await catalogue.importContacts([kate])).toMatchObject({ inserted: 1 })
  expect(await stored()).toEqual(['– | – | Kate@shop.example unknown'])
  const file = await catalogue.write('away.txt', 'kate@shop.example/contact')
  expect(await importSuppressions(catalogue.context, { file })).toMatchObject({ inserted: 1, erased: 1 })
})

describe('a status', () => {
  test.each([
    ['Extrapolated', 'guessed'],
    ['catch-all', 'accept_all'],
    ['Catch All', 'accept_all'],
    ['VALID', 'verified'],
    ['risky', 'unverified'],
    ['do_not_mail', 'suppressed'],
    ['Unavailable', 'invalid'],
    ['Hard Bounce', 'bounced'],
    ['Accept All', 'accept_all'],
  ])('that another program calls %s is %s', async (word, status) => {
    await importCsv(csv(`Kate,Moss,,kate@shop.example,${word},`))
    expect(await stored()).toEqual([`Kate Moss | – | kate@shop.example ${status}`])
  })

  test.each(['User Managed', 'ok', '99 %', 'x'])('of doubtful meaning takes the address with it: %s', async (word) => {
    const people = csv(`Kate,Moss,,kate@shop.example,${word},`)
    expect(await importCsv(people)).toMatchObject({ rejected: 1, would_take_with_drop: 1 })
    const result = await importCsv(people, 'drop')
    expect(result).toMatchObject({ inserted: 1, dropped: 1, problems: [{ field: 'emails.status', count: 1 }] })
    expect(await stored()).toEqual(['Kate Moss | – | –'])
  })

  test('of doubtful meaning in JSON takes the address, and leaves the others', async () => {
    const emails = [
      { email: 'kate@shop.example', status: 'ok' },
      { email: 'moss@shop.example', status: 'verified' },
    ]
    const record = { store_domain: 'shop.example', external_id: 'k', emails }
    const file = await catalogue.write('people.ndjson', JSON.stringify(record))
    const result = await importContacts(catalogue.context, { file, extendTaxonomy: false, onBadValue: 'drop' })
    expect(result).toMatchObject({ inserted: 1, dropped: 1 })
    expect(await stored()).toEqual(['– | – | moss@shop.example verified'])
  })

  test.each(['verified', 'User Managed', 'x'])('or a type without an address says nothing: %s', async (word) => {
    const result = await importCsv(csv(`Kate,Moss,,,${word},${word}`))
    expect(result).toMatchObject({ inserted: 1, rejected: 0, problems: [] })
    expect(await stored()).toEqual(['Kate Moss | – | –'])
  })
})

test.each(['email_not_unlocked@domain.com', 'noemail@shop.example', 'no-email@x.example', 'test@test.com', 'N/A'])(
  'the placeholder %s is no address',
  async (placeholder) => {
    await importCsv(csv('Kate,Moss,,kate@shop.example,verified,'))
    const people = csv(`Kate,Moss,Owner,${placeholder},verified,`, `Ben,Stone,Buyer,${placeholder},verified,`)
    expect(await importCsv(people)).toMatchObject({ inserted: 2, updated: 0, rejected: 0 })
    expect((await stored()).sort()).toEqual([
      'Ben Stone | Buyer | –',
      'Kate Moss | Owner | –',
      'Kate Moss | – | kate@shop.example verified',
    ])
  },
)

test('a position has the words of those who export it', async () => {
  const positions = 'store_domain,full_name,seniority,department\n'
  const rows = ['C suite', 'Founder', 'partner', 'VP', 'Head', 'director'].map(
    (word, index) => `shop.example,Person ${'ABCDEF'[index]},${word},Human Resources`,
  )
  const file = await catalogue.write('positions.csv', positions + rows.join('\n'))
  expect(await importContacts(catalogue.context, { file, extendTaxonomy: false })).toMatchObject({ inserted: 6 })
  const people = (await readStoredPeople(catalogue)).map(({ facts }) => [facts.seniority, facts.role])
  expect(people).toEqual([...Array(3).fill(['executive', 'other']), ...Array(3).fill(['decision_maker', 'other'])])
})
