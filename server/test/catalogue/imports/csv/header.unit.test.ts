import { expect, test } from 'vitest'
import { contactImportKind } from '../../../../src/catalogue/imports/contacts/import-contacts.ts'
import { storesOfBothKind } from '../../../../src/catalogue/imports/contacts/stores-and-contacts.ts'
import type { ColumnMap } from '../../../../src/catalogue/imports/fields/field-names.ts'
import { storeImportKind } from '../../../../src/catalogue/imports/stores/import-stores.ts'
import { readHeader } from '../../../../src/catalogue/imports/table/header.ts'

const fieldsOf = (kind: Parameters<typeof readHeader>[0], header: string, map: ColumnMap = {}) =>
  readHeader(kind, header.split(','), map).columns.map(({ field }) => field)
const problemsOf = (header: string, map: ColumnMap = {}) => readHeader(storeImportKind, header.split(','), map).problems

test('columns are found by their name without regard to case, blanks and underscores, and by what people call them', () => {
  expect(fieldsOf(storeImportKind, 'Website,COMPANY,Lead Fit Score,traffic tier,Shopify Plus,Created At')).toEqual([
    'domain',
    'name',
    'lead_fit_score',
    'traffic_tier',
    'platform_plus',
    'store_created_at.estimate',
  ])
  expect(fieldsOf(contactImportKind, 'URL,First Name,Surname,E-mail,Job Title,LinkedIn URL')).toEqual([
    'store_domain',
    'first_name',
    'last_name',
    'emails.0.email',
    'title',
    'profile_url',
  ])
})

test('several emails and phones become a list in the order of their columns', () => {
  expect(fieldsOf(contactImportKind, 'domain,Email,Email 2,Phone,Mobile,Phone type')).toEqual([
    'store_domain',
    'emails.0.email',
    'emails.1.email',
    'phones.0.phone',
    'phones.1.phone',
    'phones.0.type',
  ])
})

test('an index in a header is the place in the list, in any spelling of the name', () => {
  expect(fieldsOf(contactImportKind, 'domain,Emails.1.Email,emails 2 email,EMAILS_1_STATUS,Phones')).toEqual([
    'store_domain',
    'emails.1.email',
    'emails.2.email',
    'emails.1.status',
    'phones.0.phone',
  ])
})

test('a choice of the person wins, and can ignore one column or all unknown ones', () => {
  expect(fieldsOf(storeImportKind, 'Web Page,Name,Notes', { 'web page': 'domain', Notes: '' })).toEqual([
    'domain',
    'name',
    null,
  ])
  expect(problemsOf('domain,Owner,Notes', { '*': '' })).toEqual([])
  expect(problemsOf('domain', { Missing: 'name' })).toEqual([
    '--map names the column "Missing", which the file does not have.',
  ])
  expect(problemsOf('domain,Other', { Other: 'nam' })[0]).toContain('(nearest: name')
})

test('all that is wrong with a header is told at once', () => {
  const [unknown, repeated, missing, ...rest] = problemsOf('Nmae,Zzqx,Land,Country Code')
  expect(unknown).toContain('2 columns are no field of a store: "Nmae" (nearest: name')
  expect(unknown).toContain('"Zzqx"')
  expect(repeated).toContain('has "country" twice: "Land" (column 3) and "Country Code" (column 4)')
  expect(missing).toContain('lacks "domain"')
  expect(rest).toEqual([])
})

test('a header of stores with contacts has the fields of both', () => {
  expect(fieldsOf(storesOfBothKind, 'Website,Name,Country,First name,Email,contact.title,Phone')).toEqual([
    'domain',
    'name',
    'country',
    'contact.first_name',
    'contact.emails.0.email',
    'contact.title',
    'contact.phones.0.phone',
  ])
})
