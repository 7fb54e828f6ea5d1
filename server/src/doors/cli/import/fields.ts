import { contactImportKind } from '../../../catalogue/imports/contacts/import-contacts.ts'
import { storesOfBothKind } from '../../../catalogue/imports/contacts/stores-and-contacts.ts'
import type { ImportField } from '../../../catalogue/imports/fields/import-fields.ts'
import { storeImportKind } from '../../../catalogue/imports/stores/import-stores.ts'
import { formatCsvRow } from '../../../foundation/kernel/csv.ts'

type Kind = 'stores' | 'contacts' | 'stores+contacts'

const kinds = { stores: storeImportKind, contacts: contactImportKind, 'stores+contacts': storesOfBothKind }

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
  const { fields } = kinds[kind]
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
  storedex import ${kind} --template > ${kind}.csv`
}

function describeField({ description, values, facet }: ImportField): string {
  const allowed = values?.join(', ') ?? (facet === null ? null : (facetValues[facet] ?? 'a value of the taxonomy'))
  return allowed === null ? description : `${description}: ${allowed}`
}

const storeExample: Record<string, string> = {
  domain: 'willow-teas.example',
  name: 'Willow Teas',
  aliases: 'willow-teas.myshopify.com',
  category: 'food_beverages_tobacco',
  country: 'GB',
  traffic_tier: '10k_50k',
  revenue_tier: '50k_100k',
  platform_plus: 'false',
  lead_fit_score: '64.5',
  'store_created_at.estimate': '2019-03-01',
  'store_created_at.resolution': 'month',
  'store_created_at.source': 'first_product',
  'store_created_at.confidence': 'medium',
  first_discovered_at: '2021-06-11',
  active_ads: '12',
  'technologies.apps': 'klaviyo|loox',
  'technologies.pixels': 'meta_pixel',
  'technologies.theme.name': 'Dawn',
  'technologies.theme.type': 'free',
}

const contactExample: Record<string, string> = {
  store_domain: 'willow-teas.example',
  external_id: 'c-1',
  first_name: 'Mara',
  last_name: 'Lindqvist',
  full_name: 'Mara Lindqvist',
  title: 'Head of Marketing',
  role: 'marketing',
  seniority: 'decision_maker',
  profile_url: 'https://people.example/mara',
  'emails.0.email': 'mara@willow-teas.example',
  'emails.0.status': 'verified',
  'emails.0.type': 'work',
  'emails.0.is_primary': 'true',
  'phones.0.phone': '+442079460123',
  'phones.0.type': 'office',
  'phones.0.is_primary': 'true',
}

const examples: Record<Kind, Record<string, string>> = {
  stores: storeExample,
  contacts: contactExample,
  'stores+contacts': {
    ...storeExample,
    ...Object.fromEntries(Object.entries(contactExample).map(([name, value]) => [`contact.${name}`, value])),
  },
}

/** A CSV file with all columns and one example. */
export function formatTemplate(kind: Kind): string {
  const names = kinds[kind].fields.map(({ name }) => name)
  return formatCsvRow(names) + formatCsvRow(names.map((name) => examples[kind][name] ?? ''))
}
