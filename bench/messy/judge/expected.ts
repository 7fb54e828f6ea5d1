import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
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

export type ExpectedCatalogue = Map<string, Expected>

export async function readTruth(file: string, visit: (truth: LineTruth) => void): Promise<void> {
  for await (const line of createInterface({ input: createReadStream(file) })) visit(JSON.parse(line) as LineTruth)
}

/** Applies a line: missing fields keep the stored value, null clears it, lists are replaced whole. */
export function applyLine(
  catalogue: ExpectedCatalogue,
  key: string,
  line: Pick<LineTruth, 'line' | 'values' | 'optional'>,
): void {
  const stored = catalogue.get(key)
  if (!stored) {
    catalogue.set(key, {
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
