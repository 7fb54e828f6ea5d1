import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import type { Static } from 'typebox'
import { describe, expect, test } from 'vitest'
import { Refusal } from '../../../../src/foundation/kernel/errors.ts'
import type { Contact } from '../../../../src/product/contacts/schema.ts'
import type { ContactPreview } from '../../../../src/product/delivery/contact-preview.ts'
import type { Store } from '../../../../src/product/delivery/store-document.ts'
import { columnsOfKind, exportKinds } from '../../../../src/product/exports/format/columns.ts'
import { createExportFormat } from '../../../../src/product/exports/format/export-format.ts'
import { hostileText } from '../../../foundation/kernel/support/formulas.ts'

const store: Store = {
  id: 'st_live_KqWvTzHbNcRyLpXm',
  object: 'store',
  domain: 'aurora-candles.example',
  name: 'Aurora, "Candles"',
  category: 'home_garden',
  country: 'DE',
  traffic_tier: '10k_50k',
  revenue_tier: null,
  platform_plus: false,
  lead_fit_score: -7.25,
  store_created_at: { estimate: '2019-03-01T00:00:00.000Z', resolution: 'month', source: null, confidence: 'high' },
  first_discovered_at: '2024-01-02T00:00:00.000Z',
  contacts_summary: { total: 3, has_revealable_contacts: true, verified_email_count: 2, roles: ['founder', 'sales'] },
  technologies: { apps: ['klaviyo', 'loox'], pixels: [], theme: { name: '=cmd', type: 'free' } },
}

const preview: Static<typeof ContactPreview> = {
  id: 'ct_live_PqLmXzTbVnRwKdHc',
  object: 'contact_preview',
  first_name: 'Lena',
  last_name_obfuscated: 'H***',
  role: 'marketing',
  seniority: 'executive',
  title: 'Head of\nMarketing',
  has_verified_email: true,
  has_phone: true,
  has_profile: false,
  revealed: false,
  store: {
    id: store.id,
    domain: store.domain,
    name: store.name,
    category: 'home_garden',
    traffic_tier: null,
    technologies: { apps: ['klaviyo'], pixels: [] },
  },
}

const contact: Contact = {
  id: 'ct_live_PqLmXzTbVnRwKdHc',
  object: 'contact',
  full_name: 'Lena Hofmann',
  first_name: 'Lena',
  last_name: 'Hofmann',
  title: 'Head of Marketing',
  role: 'marketing',
  seniority: 'executive',
  profile_url: 'https://profiles.example/lena',
  reveal_status: 'newly_revealed',
  charged: true,
  emails: [
    { email: 'office@aurora.example', status: 'unverified', type: 'role', is_primary: false },
    { email: 'lena@aurora.example', status: 'verified', type: 'work', is_primary: true },
  ],
  phones: [
    { phone: '+4930123456', type: 'office', is_primary: true },
    { phone: '+4915112345678', type: 'mobile', is_primary: false },
    { phone: '+4930123457 x12', type: 'direct', is_primary: false },
  ],
  store: { id: store.id, domain: store.domain, name: store.name },
  revealed_at: '2026-11-22T10:00:00.000Z',
}

const items = { stores: store, previews: preview, contacts: contact }

type Request = Parameters<typeof createExportFormat>[0]
type TextRequest = Request & { format: 'csv' | 'ndjson' }

function fileOf(request: TextRequest, rows: readonly object[]): string {
  const format = createExportFormat(request)
  return format.header() + format.rows(rows.map((row) => JSON.stringify(row)))
}

function cellsOf(request: TextRequest, row: object): Record<string, string> {
  const [cells] = parse<Record<string, string>>(fileOf(request, [row]), { columns: true, bom: true })
  return cells!
}

function refusal(request: Request): Pick<Refusal, 'code' | 'param' | 'message'> | null {
  try {
    createExportFormat(request)
    return null
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { code: error.code, param: error.param, message: error.message }
  }
}

describe('columns', () => {
  test('of stores are the paths of all fields, in the order of the API', () => {
    expect(cellsOf({ kind: 'stores', format: 'csv' }, store)).toEqual({
      id: store.id,
      object: 'store',
      domain: 'aurora-candles.example',
      name: 'Aurora, "Candles"',
      category: 'home_garden',
      country: 'DE',
      traffic_tier: '10k_50k',
      revenue_tier: '',
      platform_plus: 'false',
      lead_fit_score: '-7.25',
      'store_created_at.estimate': '2019-03-01T00:00:00.000Z',
      'store_created_at.resolution': 'month',
      'store_created_at.source': '',
      'store_created_at.confidence': 'high',
      first_discovered_at: '2024-01-02T00:00:00.000Z',
      'technologies.apps': 'klaviyo|loox',
      'technologies.pixels': '',
      'technologies.theme.name': "'=cmd",
      'technologies.theme.type': 'free',
      'contacts_summary.total': '3',
      'contacts_summary.has_revealable_contacts': 'true',
      'contacts_summary.verified_email_count': '2',
      'contacts_summary.roles': 'founder|sales',
    })
    expect(cellsOf({ kind: 'stores', format: 'csv' }, { ...store, store_created_at: null })).toMatchObject({
      'store_created_at.estimate': '',
      'store_created_at.confidence': '',
    })
  })

  test('of previews and stores name every leaf of the object, and nothing else', () => {
    for (const kind of ['stores', 'previews'] as const)
      expect(columnsOfKind[kind].map(({ name }) => name).sort()).toEqual(leavesOf(items[kind]).sort())
  })

  test('of contacts have the main channels apart and the others joined', () => {
    const cells = cellsOf({ kind: 'contacts', format: 'csv' }, contact)
    expect(Object.keys(cells).join(', ')).toBe(
      'id, full_name, first_name, last_name, title, role, seniority, profile_url, email, email_status, email_type, other_emails, phone, phone_type, other_phones, store.id, store.domain, store.name, revealed_at, charged',
    )
    expect(cells).toMatchObject({
      email: 'lena@aurora.example',
      email_status: 'verified',
      email_type: 'work',
      other_emails: 'office@aurora.example',
      phone: '+4930123456',
      phone_type: 'office',
      other_phones: "'+4915112345678|'+4930123457 x12",
      'store.domain': 'aurora-candles.example',
      charged: 'true',
    })
    const bare = cellsOf({ kind: 'contacts', format: 'csv' }, { ...contact, emails: [], phones: [] })
    expect(bare).toMatchObject({ email: '', email_status: '', other_emails: '', phone: '', other_phones: '' })
  })

  test('can be chosen and ordered', () => {
    expect(fileOf({ kind: 'stores', format: 'csv', columns: ['technologies.apps', 'domain'] }, [store, store])).toBe(
      'technologies.apps,domain\r\nklaviyo|loox,aurora-candles.example\r\nklaviyo|loox,aurora-candles.example\r\n',
    )
  })

  test('that are unknown or named twice are refused with their place and the nearest name', () => {
    const request = { kind: 'stores', format: 'csv' } as const
    expect(refusal({ ...request, columns: ['domain', 'technologies.app'] })).toEqual({
      code: 'invalid_column',
      param: 'columns[1]',
      message: expect.stringMatching(/^"technologies\.app" is not a column of this kind; nearest: technologies\.apps/),
    })
    expect(refusal({ ...request, columns: ['email'] })).toMatchObject({ param: 'columns[0]' })
    expect(refusal({ ...request, columns: ['id', 'domain', 'id'] })).toMatchObject({
      code: 'invalid_column',
      param: 'columns[2]',
    })
    for (const name of ['', '__proto__', 'constructor', 'Domain'])
      expect(refusal({ ...request, columns: [name] })).toMatchObject({ code: 'invalid_column' })
  })
})

describe('a file', () => {
  test('of lines of JSON has each object as it is', () => {
    const texts = [store, { ...store, name: 'ü\n' }].map((each) => JSON.stringify(each))
    const format = createExportFormat({ kind: 'stores', format: 'ndjson' })
    expect(format.header() + format.rows(texts) + format.rows([]) + format.rows(texts)).toBe(
      [...texts, ...texts].map((text) => `${text}\n`).join(''),
    )
    expect([format.extension, format.contentType]).toEqual(['ndjson', 'application/x-ndjson; charset=utf-8'])
  })

  test('begins with a byte order mark for a spreadsheet only, and is a header when it is empty', () => {
    for (const kind of exportKinds) {
      const plain = fileOf({ kind, format: 'csv' }, [])
      expect(plain).toMatch(/^id,[\w.,]+\r\n$/)
      expect(fileOf({ kind, format: 'csv', preset: 'excel' }, [])).toBe(`\ufeff${plain}`)
    }
    expect(fileOf({ kind: 'stores', format: 'csv', preset: 'excel', columns: ['id'] }, [store])).toBe(
      `\ufeffid\r\n${store.id}\r\n`,
    )
  })

  test('is the same however its rows are divided into chunks', () => {
    const rows = Array.from({ length: 20 }, (_, i) => JSON.stringify({ ...store, name: `Store ${i}` }))
    for (const request of [
      { kind: 'stores', format: 'csv' },
      { kind: 'stores', format: 'ndjson' },
    ] as const) {
      const format = createExportFormat(request)
      fc.assert(
        fc.property(fc.nat({ max: 20 }), (border) => {
          expect(format.rows(rows.slice(0, border)) + format.rows(rows.slice(border))).toBe(format.rows(rows))
        }),
      )
    }
  })

  test('gives every text back when it is read, formulas with an apostrophe in front', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 6 }),
      fc.string({
        unit: fc.constantFrom('=', '+', '-', '@', '\t', '\r', '\n', ' ', '\u00a0', '"', ',', "'", '1', 'a', '.'),
      }),
    )
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 4 }), (names) => {
        const rows = names.map((name) => ({ ...store, name }))
        const read: { name: string }[] = parse(
          fileOf({ kind: 'stores', format: 'csv', columns: ['id', 'name'] }, rows),
          {
            columns: true,
            recordDelimiter: '\r\n',
          },
        )
        expect(read.map(({ name }) => name)).toEqual(
          names.map((name) => (isFormula(name) ? `'${guardParts(name)}` : guardParts(name))),
        )
      }),
    )
  })

  test('leaves phone numbers and plain numbers as they are', () => {
    const written = (name: string) =>
      cellsOf({ kind: 'stores', format: 'csv', columns: ['id', 'name'] }, { ...store, name }).name
    for (const plain of ['+4930123456', '+491511234567890'.slice(0, 16), '-5', '-12.5', '12', '0'])
      expect(written(plain)).toBe(plain)
    const guarded = [
      '+49 30 123456',
      '+0930123456',
      '+1234567890123456',
      '+1.5',
      '+4930123456 x12',
      '-5-5',
      '-1e5',
      '- 5',
      '--5',
    ]
    expect(written(' \t=1')).toBe("' \t'=1")
    for (const formula of [...guarded, '\u00a0@x', '\n', '\r', '\t', '＝1+1'])
      expect(written(formula)).toBe(`'${formula}`)
  })
})

/** The contract's rule, written another way than in the source. */
function isFormula(text: string): boolean {
  const rest = text.replace(/^[\s\0"]+/, (blanks) => (/[\t\r\n]/.test(blanks) ? '=' : ''))
  const isHarmless = /^\+[1-9][0-9]{1,14}$/.test(text) || /^-?[0-9]+(\.[0-9]+)?$/.test(text)
  return '=+-@＝＋－＠'.includes(rest.charAt(0)) && rest !== '' && !isHarmless
}

/** The same for what stands behind a delimiter in a text. */
function guardParts(text: string): string {
  const [first, ...parts] = text.split(/(?<=[;,|\t\r\n])/)
  const guarded = parts.map((part) => {
    const body = part.replace(/[;,|\t\r\n]$/, '').replace(/^[\s\0"]+/, '')
    const isHarmless = /^(\+[1-9][0-9]{1,14}|-?[0-9]+(\.[0-9]+)?)\s*$/.test(body)
    const start = part.indexOf(body)
    if (body === '' || isHarmless || !'=+-@＝＋－＠'.includes(body.charAt(0))) return part
    return `${part.slice(0, start)}'${part.slice(start)}`
  })
  return [first, ...guarded].join('')
}

describe('the preset hubspot', () => {
  test('has the labels of properties of contacts', () => {
    expect(cellsOf({ kind: 'contacts', format: 'csv', preset: 'hubspot' }, contact)).toEqual({
      Email: 'lena@aurora.example',
      'First Name': 'Lena',
      'Last Name': 'Hofmann',
      'Job Title': 'Head of Marketing',
      'Phone Number': '+4930123456',
      'Mobile Phone Number': '+4915112345678',
      'Company Name': 'Aurora, "Candles"',
      'Website URL': 'https://aurora-candles.example',
    })
  })
})

describe('the preset salesforce', () => {
  const lead = (change: Partial<Contact>) =>
    cellsOf({ kind: 'contacts', format: 'csv', preset: 'salesforce' }, { ...contact, ...change })

  test('has the fields of leads, and in the description what they do not take', () => {
    expect(lead({})).toEqual({
      LastName: 'Hofmann',
      FirstName: 'Lena',
      Company: 'Aurora, "Candles"',
      Title: 'Head of Marketing',
      Email: 'lena@aurora.example',
      Phone: '+4930123456',
      MobilePhone: '+4915112345678',
      Website: 'https://aurora-candles.example',
      Description: 'Profile: https://profiles.example/lena; Also: office@aurora.example, +4930123457 x12',
    })
  })

  test('fills LastName and Company always, and keeps within the lengths of their fields', () => {
    const nothing = { first_name: null, last_name: null, full_name: null }
    expect(lead({ ...nothing, full_name: 'Ana Maria Souza' })).toMatchObject({
      LastName: 'Souza',
      FirstName: 'Ana Maria',
    })
    expect(lead({ ...nothing, full_name: 'Cher' })).toMatchObject({ LastName: 'Cher', FirstName: '' })
    expect(lead({ ...nothing, first_name: 'Lena' })).toMatchObject({ LastName: 'Lena', FirstName: '' })
    expect(lead({ ...nothing, last_name: ' \u00a0' })).toMatchObject({ LastName: '[not provided]', FirstName: '' })
    expect(lead({ store: { ...contact.store, name: '  ' } })).toMatchObject({ Company: 'aurora-candles.example' })
    const name = fc.option(fc.string({ unit: 'grapheme', maxLength: 200 }))
    fc.assert(
      fc.property(name, name, name, name, (first_name, last_name, full_name, storeName) => {
        const row = lead({ first_name, last_name, full_name, store: { ...contact.store, name: storeName ?? '' } })
        expect(row.LastName!.trim()).not.toBe('')
        expect(row.Company!.trim()).not.toBe('')
        expect([row.LastName!.length <= 80, row.FirstName!.length <= 40, row.Company!.length <= 255]).toEqual([
          true,
          true,
          true,
        ])
        expect(row.LastName!.isWellFormed()).toBe(true)
      }),
    )
  })

  test('leaves out an address that is too long, rather than a part of it', () => {
    const email = {
      email: `${'a'.repeat(60)}@${'b'.repeat(30)}.example`,
      status: 'verified',
      type: 'work',
      is_primary: true,
    } as const
    expect(lead({ emails: [email], title: 'x'.repeat(200) })).toMatchObject({ Email: '', Title: 'x'.repeat(128) })
  })
})

describe.each(['hubspot', 'salesforce'] as const)('the files of %s', (preset) => {
  const rowOf = (change: Partial<Contact>) =>
    cellsOf({ kind: 'contacts', format: 'csv', preset }, { ...contact, ...change })

  test('carry values as they are: an import keeps an apostrophe in front as part of the value', () => {
    const phone = { phone: '+493012345 x12', type: 'office', is_primary: true } as const
    const row = rowOf({ phones: [phone], store: { ...contact.store, name: '@home Living' }, title: '-- Owner' })
    expect(Object.values(row)).toEqual(expect.arrayContaining(['+493012345 x12', '@home Living', '-- Owner']))
    fc.assert(
      fc.property(hostileText, (text) => {
        const names = { full_name: text, first_name: text, last_name: text, title: text }
        const cells = rowOf({ ...names, store: { ...contact.store, name: text } })
        const line = text.replace(/[\p{Cc}\s]+/gu, ' ').trim()
        const { Company = cells['Company Name'], Title = cells['Job Title'], LastName = cells['Last Name'] } = cells
        expect(Company).toBe(line || 'aurora-candles.example')
        expect(Title).toBe(line)
        if (line !== '') expect(LastName).toBe(line)
      }),
    )
  })

  test('have one line a person, also of names that were stored with line breaks', () => {
    const row = rowOf({ title: 'Head of\r\nMarketing', store: { ...contact.store, name: 'Aurora\n\tCandles' } })
    expect(Object.values(row)).toEqual(expect.arrayContaining(['Head of Marketing', 'Aurora Candles']))
  })
})

test('an address beyond ASCII, for which Salesforce refuses a lead, is in the description', () => {
  const email = { email: 'jörg@aurora.example', status: 'verified', type: 'work', is_primary: true } as const
  const row = cellsOf({ kind: 'contacts', format: 'csv', preset: 'salesforce' }, { ...contact, emails: [email] })
  expect([row.Email, row.Description]).toEqual(['', expect.stringContaining('Also: jörg@aurora.example')])
})

test('a preset is refused for what it is not made for', () => {
  for (const preset of ['hubspot', 'salesforce'] as const) {
    for (const kind of ['stores', 'previews'] as const)
      expect(refusal({ kind, format: 'csv', preset })).toMatchObject({ code: 'invalid_request', param: 'preset' })
    expect(refusal({ kind: 'contacts', format: 'csv', preset, columns: ['id'] })).toMatchObject({ param: 'columns' })
    expect(refusal({ kind: 'contacts', format: 'ndjson', preset })).toMatchObject({ param: 'preset' })
  }
  expect(refusal({ kind: 'stores', format: 'ndjson', columns: ['id'] })).toMatchObject({ param: 'columns' })
  expect(refusal({ kind: 'contacts', format: 'csv', preset: 'excel', columns: ['email'] })).toBeNull()
})

/** The paths of all values of an object; a list is one. */
function leavesOf(value: object, path: string[] = []): string[] {
  return Object.entries(value).flatMap(([key, child]) =>
    typeof child === 'object' && child !== null && !Array.isArray(child)
      ? leavesOf(child, [...path, key])
      : [[...path, key].join('.')],
  )
}
