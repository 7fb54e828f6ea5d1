import type { ContactFacts } from '../../../../src/foundation/encryption/contact-facts.ts'

/** A simple model of the contact import: slow and obviously correct. */
export type ContactModel = Map<string, { domain: string; facts: ContactFacts }>

export interface ModelRecord extends Partial<Record<keyof ContactFacts, unknown>> {
  store_domain: string
  external_id?: string | null
  full_name?: string | null
  first_name?: string | null
  last_name?: string | null
  title?: string | null
  emails?: ModelChannel[] | null
  phones?: ModelChannel[] | null
}

interface ModelChannel {
  type?: string
  email?: string
  phone?: string
  is_primary?: boolean
}

/** Applies records to the model and returns how many were rejected. `hosts` maps every host to the domain of its store. */
export function applyToModel(model: ContactModel, hosts: Map<string, string>, records: ModelRecord[]): number {
  let rejected = 0
  for (const record of records) {
    const domain = hosts.get(record.store_domain)
    const key = keyOf(record)
    if (domain === undefined || key === null) {
      rejected++
      continue
    }
    const id = idOf(model, domain, key, record)
    const facts: Record<string, unknown> = { ...(model.get(id)?.facts ?? emptyFacts) }
    for (const field of Object.keys(emptyFacts) as (keyof ContactFacts)[])
      if (record[field] !== undefined) facts[field] = record[field] ?? emptyFacts[field]
    if (record.emails)
      facts.emails = listOf(record.emails, 'email', {
        email: '',
        status: 'unknown',
        type: 'unknown',
        is_primary: false,
      })
    if (record.phones) facts.phones = listOf(record.phones, 'phone', { phone: '', type: 'unknown', is_primary: false })
    model.set(id, { domain, facts: facts as unknown as ContactFacts })
  }
  return rejected
}

const emptyFacts: ContactFacts = {
  external_id: null,
  first_name: null,
  last_name: null,
  full_name: null,
  title: null,
  role: null,
  seniority: 'other',
  profile_url: null,
  emails: [],
  phones: [],
}

function keyOf({ external_id, emails, full_name, first_name, last_name, title }: ModelRecord): string[] | null {
  if (external_id) return ['id', external_id]
  if (emails?.[0]) return ['email', emails[0].email!.toLowerCase()]
  const name = nameOf({ full_name, first_name, last_name } as ModelRecord)
  return name ? ['name', name, title ?? ''] : null
}

/** Two different names with one address are two people, and a role's address identifies nobody who has a name. */
function idOf(model: ContactModel, domain: string, key: string[], record: ModelRecord): string {
  const id = JSON.stringify([domain, ...key])
  const name = nameOf(record)
  if (key[0] !== 'email' || !name) return id
  const isShared = record.emails![0]!.type === 'role'
  const first = model.get(id)?.facts
  const isSame = first !== undefined && (nameOf(first) ? haveSameWords(nameOf(first), name) : !isShared)
  if (isSame ? !isShared : first === undefined && !isShared) return id
  const named = JSON.stringify([domain, ...key, 'named', wordsOf(name)])
  return isSame && !model.has(named) ? id : named
}

function nameOf({ full_name, first_name, last_name }: Partial<ContactFacts> | ModelRecord): string {
  return full_name ?? [first_name, last_name].filter((part) => part).join(' ')
}

/** One has all words of the other. */
function haveSameWords(a: string, b: string): boolean {
  const [shorter, longer] = [wordsOf(a), wordsOf(b)].sort((x, y) => x.length - y.length) as [string[], string[]]
  return shorter.every((word) => longer.includes(word))
}

function wordsOf(name: string): string[] {
  return name.toLowerCase().replaceAll('ö', 'o').replaceAll("'", '').split(' ').sort()
}

function listOf(given: ModelChannel[], channel: 'email' | 'phone', blank: object): object[] {
  const same = (text: string) => text.toLowerCase().replaceAll(' ', '')
  const kept: ModelChannel[] = []
  for (const item of given) {
    const earlier = kept.find((other) => same(other[channel]!) === same(item[channel]!))
    if (!earlier) kept.push({ ...blank, ...item })
    else if (item.is_primary) earlier.is_primary = true
  }
  const primary = kept.find((item) => item.is_primary) ?? kept[0]
  return kept.map((item) => ({ ...item, is_primary: item === primary }))
}
