import { contactImportKind } from '../../../catalogue/imports/contacts/import-contacts.ts'
import { storesOfBothKind } from '../../../catalogue/imports/contacts/stores-and-contacts.ts'
import type { ImportField } from '../../../catalogue/imports/fields/import-fields.ts'
import { storeImportKind } from '../../../catalogue/imports/stores/import-stores.ts'

/** What the rows of a file hold. */
export type RowKind = 'stores' | 'contacts' | 'stores+contacts'

export const kindsOfRows = { stores: storeImportKind, contacts: contactImportKind, 'stores+contacts': storesOfBothKind }

/** Values as the help shows them; the taxonomy has all of the others. */
const facetValues: Partial<Record<string, string>> = {
  country: 'DE, DEU or Germany',
  seniority: 'executive, decision_maker, other',
  theme_type: 'custom, free, paid',
  traffic_tier: 'under_1k, 1k_10k, 10k_50k, 50k_100k, 100k_500k, 500k_1m, over_1m',
  revenue_tier: 'under_10k, 10k_50k, 50k_100k, 100k_500k, 500k_1m, 1m_10m, over_10m',
  role: 'ceo, customer_support, design, ecommerce, finance, founder, growth, marketing, operations, other, product, sales, technology',
}

/** The fields of a record and their values, for the help of the command. */
export function describeFields(kind: 'stores' | 'contacts'): string {
  const { fields } = kindsOfRows[kind]
  const width = Math.max(...fields.map(({ name }) => name.length))
  const lines = fields.map((field) => `  ${field.name.padEnd(width)}  ${describeField(field)}`)
  return `
Fields, which are the columns of a CSV file (${kind === 'stores' ? 'domain' : 'store_domain'} is required):
${lines.join('\n')}

Columns may also be called as people call them: Website, Company, E-mail, Phone 2. An empty cell keeps what is stored,
null clears it. Values of the taxonomy (GET /api/v1/taxonomy) may be given by value or by label.

Examples:
  storedex import ${kind} ${kind}.csv --dry-run
  storedex import ${kind} ${kind}.csv --map "Web=${kind === 'stores' ? 'domain' : 'store_domain'}" --map "Notes=" --on-bad-value drop
  storedex import ${kind} --template --output ${kind}.xlsx`
}

function describeField({ description, values, facet }: ImportField): string {
  const allowed = values?.join(', ') ?? (facet === null ? null : (facetValues[facet] ?? 'a value of the taxonomy'))
  return allowed === null ? description : `${description}: ${allowed}`
}
