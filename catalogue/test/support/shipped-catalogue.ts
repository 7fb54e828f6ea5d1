import { readFileSync } from 'node:fs'
import { TaxonomyResolver } from '../../../server/src/catalogue/imports/cells/taxonomy-resolver.ts'
import { readContactRecord } from '../../../server/src/catalogue/imports/contacts/contact-record.ts'
import { applyContactPatch } from '../../../server/src/catalogue/imports/contacts/contact-rows.ts'
import type { ReadContext } from '../../../server/src/catalogue/imports/records/import-kind.ts'
import type { ContactFacts } from '../../../server/src/foundation/encryption/contact-facts.ts'
import { createIdentityHasher } from '../../../server/src/foundation/encryption/identities.ts'
import { Vocabulary } from '../../../server/src/search/query/vocabulary.ts'
import type { ContactRecord } from '../../build/records.ts'
import { readFacet } from '../../build/taxonomy/files.ts'

/** A contact of a shipped file: the record, and the facts that an import stores for it. */
export interface ShippedPerson {
  record: ContactRecord
  facts: ContactFacts
}

const termsOf = (file: 'roles' | 'seniorities', facet: 'role' | 'seniority', firstToken: number) =>
  readFacet(file).map(({ value }, index) => ({ facet, value, token: firstToken + index, parent: null }))
const vocabulary = new Vocabulary([...termsOf('roles', 'role', 1_000), ...termsOf('seniorities', 'seniority', 2_000)])
const context: ReadContext = {
  cleansPhones: false,
  resolver: new TaxonomyResolver(vocabulary, false),
  seals: { identities: createIdentityHasher(Buffer.alloc(32)) },
}

export function readShippedPeople(name: string): ShippedPerson[] {
  return readCatalogueRecords<ContactRecord>(name).map((record) => ({
    record,
    facts: applyContactPatch(null, readContactRecord(record, context, []), null),
  }))
}

/** Reads a file of the folder `catalogue/`. */
export function readCatalogueText(name: string): string {
  return readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8')
}

export function readCatalogueRecords<Record>(name: string): Record[] {
  return readCatalogueText(name)
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Record)
}
