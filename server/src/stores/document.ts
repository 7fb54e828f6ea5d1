import buildSerializer from 'fast-json-stringify'
import { Store } from '../delivery/store-document.ts'

/**
 * The public Store JSON is rendered once, when the catalogue changes, with the contract's own schema, and kept as text:
 * replies splice it. What the schema lacks cannot get into a document, so it cannot leave in a reply.
 */
export const documentVersion = 1

const serialize = buildSerializer(Store as object)

export function renderStore(store: Store): string {
  return serialize(store)
}

export function parseStore(document: string): Store {
  return JSON.parse(document) as Store
}

const technologiesStart = ',"technologies":'

/** The same document without its technologies. Inside a JSON string the quotes would be escaped, so the cut is exact. */
export function withoutTechnologies(document: string): string {
  return `${document.slice(0, document.lastIndexOf(technologiesStart))}}`
}
