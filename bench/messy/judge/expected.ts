import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { canBeSamePerson } from '../records/people.ts'
import type { LineTruth, Values } from '../truth.ts'

/** What must be in the catalogue under one key, after the lines that were taken. */
export interface Expected {
  values: Values
  /** Fields that may be missing instead. */
  optional: Set<string>
  /** Fields that the specification leaves open altogether, because an open value meets a stored one. */
  open: Set<string>
  lines: number[]
}

/** Part of the keys of contacts that are known by an address. */
const addressMark = '","email","'

/** By key; several records under one key are people who share an address. */
export class ExpectedCatalogue {
  readonly #records = new Map<string, Expected[]>()

  /** The record of a line or of the catalogue: of people with one address, the first who can have this name. */
  find(key: string, values: Values, allows: (expected: Expected) => boolean = () => true): Expected | undefined {
    const isSame = key.includes(addressMark) ? canBeSamePerson : () => true
    return this.#records.get(key)?.find((each) => isSame(each.values, values) && allows(each))
  }

  add(key: string, expected: Expected): void {
    const known = this.#records.get(key)
    if (known) known.push(expected)
    else this.#records.set(key, [expected])
  }

  *entries(): Generator<[key: string, expected: Expected]> {
    for (const [key, records] of this.#records) for (const record of records) yield [key, record]
  }
}

export async function readTruth(file: string, visit: (truth: LineTruth) => void): Promise<void> {
  for await (const line of createInterface({ input: createReadStream(file) })) visit(JSON.parse(line) as LineTruth)
}

/** Applies a line: missing fields keep the stored value, null clears it, lists are replaced whole. */
export function applyLine(
  catalogue: ExpectedCatalogue,
  key: string,
  line: Pick<LineTruth, 'line' | 'values' | 'optional'>,
): void {
  const stored = catalogue.find(key, line.values)
  if (!stored) {
    catalogue.add(key, {
      values: withoutEmpty(line.values),
      optional: new Set(line.optional),
      open: new Set(),
      lines: [line.line],
    })
    return
  }
  for (const list of ['emails.', 'phones.'])
    if (Object.keys(line.values).some((field) => field.startsWith(list)))
      for (const field of Object.keys(stored.values)) if (field.startsWith(list)) delete stored.values[field]
  for (const [field, value] of Object.entries(line.values)) {
    stored.values[field] = value
    stored.optional.delete(field)
  }
  stored.values = withoutEmpty(stored.values)
  for (const field of line.optional) stored.open.add(field)
  stored.lines.push(line.line)
}

function withoutEmpty(values: Values): Values {
  const isEmpty = (value: unknown) => value === null || (Array.isArray(value) && value.length === 0)
  return Object.fromEntries(Object.entries(values).filter(([, value]) => !isEmpty(value)))
}

/** The key of a contact: its store with its id, or else its first email, or else its name and title. */
function contactKeyOf(values: Values): string {
  const { store_domain, external_id, first_name, last_name, full_name, title } = values
  if (external_id) return JSON.stringify([store_domain, 'id', external_id])
  const email = values['emails.0.email'] ?? values['emails.1.email']
  if (email) return JSON.stringify([store_domain, 'email', String(email).toLowerCase()])
  const name = full_name ?? [first_name, last_name].filter((part) => part).join(' ')
  return JSON.stringify([store_domain, 'name', name, title ?? ''])
}

export const keyOf = {
  stores: (values: Values) => String(values.domain),
  contacts: contactKeyOf,
}
