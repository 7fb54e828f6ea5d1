import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { importStoresAndContacts } from '../../../../src/catalogue/imports/contacts/stores-and-contacts.ts'
import { importStores } from '../../../../src/catalogue/imports/stores/import-stores.ts'
import { openTestCatalogue, type TestCatalogue } from '../support/test-catalogue.ts'

let catalogue: TestCatalogue
beforeAll(async () => {
  catalogue = await openTestCatalogue()
})
beforeEach(() => catalogue.db.query('truncate stores, store_domains, contacts'))

const problemsOf = async (...records: object[]) => {
  const { problems, rejected } = await catalogue.importStores(records)
  return { rejected, problems: problems.map(({ field, reason, hint }) => [field, reason, hint]) }
}

const hint = "give the shop's own domain; the company of the host itself is known by its name"

describe('a host that many share is no store', () => {
  test.each([
    ['etsy.com/shop/maraslamps', "Mara's Lamps", 'etsy.com'],
    ['https://www.etsy.com/de/shop/etsymara', 'Etsy Mara', 'etsy.com'],
    ['etsy.com', "Mara's Lamps", 'etsy.com'],
    ['https://m.facebook.com/kerzenliebe', 'Kerzenliebe', 'facebook.com'],
    ['instagram.com/kerzenliebe/', 'Kerzenliebe', 'instagram.com'],
    ['https://www.amazon.de/stores/page/1', 'Kerzenliebe', 'amazon.de'],
    ['www.ebay.co.uk/str/kerzenliebe', 'Kerzenliebe', 'ebay.co.uk'],
    ['https://linktr.ee/kerzenliebe', 'Kerzenliebe', 'linktr.ee'],
    ['https://bit.ly/3abc', 'Kerzenliebe', 'bit.ly'],
    ['sites.google.com/view/kerzen', 'Kerzen', 'google.com'],
    ['wix.com', 'Kerzenliebe', 'wix.com'],
    ['https://item.rakuten.co.jp/kerzen/1', 'Kerzen', 'item.rakuten.co.jp'],
    ['etsy.com', undefined, 'etsy.com'],
  ])('%s with the name %s', async (domain, name, host) => {
    const reason = `${host} is a shared host: all of its shops would become one store`
    expect(await problemsOf({ domain, name })).toEqual({ rejected: 1, problems: [['domain', reason, hint]] })
  })

  test.each(['gmail.com', 'kerzen@web.de', 'GMX.net', 'https://hotmail.com/'])(
    'nor a mail provider: %s',
    async (domain) => {
      const { rejected, problems } = await problemsOf({ domain, name: 'Kerzenliebe' })
      expect([rejected, problems[0]![1]]).toEqual([1, expect.stringContaining('is a mail provider: all of its users')])
    },
  )

  test('whose name only begins like that of the shop', async () => {
    for (const [domain, name] of [
      ['free.fr', 'Free Spirit'],
      ['web.de', 'Web und Wolle'],
      ['live.com', 'Live Plants'],
    ] as const)
      expect(await catalogue.importStores([{ domain, name }]), name).toMatchObject({ rejected: 1 })
  })

  test('an alias is left out alone', async () => {
    const records = [
      { domain: 'kerzenliebe.example', name: 'Kerzenliebe', aliases: ['etsy.com/shop/kerzen', 'kl.example'] },
    ]
    expect(await problemsOf(...records)).toMatchObject({
      rejected: 1,
      problems: [['aliases', expect.anything(), hint]],
    })
    const file = await catalogue.write('alias.ndjson', JSON.stringify(records[0]))
    await importStores(catalogue.context, { file, extendTaxonomy: false, onBadValue: 'drop' })
    expect((await catalogue.store('kerzenliebe.example'))!.aliases).toEqual(['kl.example'])
  })
})

describe('a store is', () => {
  test.each([
    ['etsy.com', 'Etsy, Inc.'],
    ['https://www.etsy.com/', 'etsy.com'],
    ['https://www.amazon.de/ref=nav_logo', 'Amazon.de'],
    ['amazon.com.au', 'Amazon Australia'],
    ['linktr.ee', 'Linktree'],
    ['https://www.t-online.de', 'T-Online'],
    ['orange.fr', 'Orange'],
    ['proximus.be', 'Proximus Shop'],
    ['virginmedia.com', 'Virgin Media [UK]'],
    ['gmx.at', 'GMX.net'],
    ['network.mobile.rakuten.co.jp', '楽天モバイル'],
    ['mercadolibre.com.mx', 'Mercado Libre México'],
  ])('the company of a shared host: %s, %s', async (domain, name) => {
    expect(await catalogue.importStores([{ domain, name }])).toMatchObject({ inserted: 1 })
  })

  test.each([
    'maraslamps.etsy.com',
    'mara.myshopify.com',
    'mara.wordpress.com',
    'mara.substack.com',
    'notetsy.com',
    'myamazon.de',
    'fnac.com',
  ])('what has a host of its own: %s', async (domain) => {
    expect(await catalogue.importStores([{ domain, name: 'Mara' }])).toMatchObject({ inserted: 1 })
  })

  test('a company with the hosts that it has besides', async () => {
    const aliases = ['amazon.de', 'amazon.co.uk', 'primevideo.com']
    expect(await catalogue.importStores([{ domain: 'amazon.com', name: 'Amazon', aliases }])).toMatchObject({
      inserted: 1,
    })
  })
})

test('nobody of a shop becomes a person of the company on whose host its page is', async () => {
  await catalogue.importStores([{ domain: 'etsy.com', name: 'Etsy' }])
  const person = { full_name: 'Mara Vogt', emails: [{ email: 'mara@vogt.example' }] }
  const refused = await catalogue.importContacts([{ store_domain: 'etsy.com/shop/mara', ...person }])
  expect(refused).toMatchObject({ rejected: 1, problems: [{ field: 'store_domain', hint }] })
  expect(await catalogue.importContacts([{ store_domain: 'etsy.com', ...person }])).toMatchObject({ inserted: 1 })
  const rows = 'domain,name,contact.full_name,contact.emails.0.email\netsy.com,Lampen,Ada,ada@vogt.example\n'
  const file = await catalogue.write('both.csv', rows)
  const { stores, contacts } = await importStoresAndContacts(catalogue.context, { file, extendTaxonomy: false })
  expect([stores.rejected, contacts.rejected]).toEqual([1, 1])
})

describe('rows with different names that become one store are told', () => {
  const importRows = async (rows: [string, string][], dryRun = false) => {
    const text = rows.map((row) => row.join()).join('\n')
    const file = await catalogue.write('rows.csv', `domain,name\n${text}\n`)
    return importStores(catalogue.context, { file, extendTaxonomy: false, dryRun })
  }

  test.each([false, true])('with the first of them, in a dry run too (%s)', async (dryRun) => {
    const filling = Array.from({ length: 4_100 }, (_, row): [string, string] => [`s${row}.example`, `S ${row}`])
    const rows: [string, string][] = [
      ['host.example/mara', 'Mara'],
      ['host.example/ada', 'Ada'],
      ...filling,
      ['host.example/eve', 'Eve'],
    ]
    const { notices, rejected } = await importRows(rows, dryRun)
    expect(rejected).toBe(0)
    expect(notices).toEqual([
      {
        field: 'domain',
        reason: 'rows with different names became one store',
        count: 2,
        line: 3,
        value: 'host.example: "Mara", "Ada"',
        hint: 'the last name counts; give each shop its own domain',
      },
    ])
  })

  test('and not spellings of one name', async () => {
    const names = ['Willow Teas', 'WILLOW TEAS', 'willow-teas Ltd.', 'WillowTeas', 'Wíllow Teas', 'willow-teas.example']
    const { notices } = await importRows(names.map((name) => ['willow-teas.example', name]))
    expect(notices).toEqual([])
  })
})
