import buildSerializer from 'fast-json-stringify'
import type { Paid } from '../../customers/ledger/outcome.ts'
import type { DeliverEmails } from '../../foundation/encryption/contact-facts.ts'
import { isRevealable } from '../../foundation/encryption/contact-facts.ts'
import type { ContactSeals } from '../../foundation/encryption/keyring.ts'
import { type JsonText, jsonWithList } from '../../foundation/http/replies.ts'
import { contactKey, type IdSealer, type Mode } from '../../foundation/kernel/ids.ts'
import { contactKeysOf, describeContact, type OpenedContact, openContactRow } from './contact.ts'
import type { ContactKeys, ContactWithStoreRow } from './queries.ts'
import { Contact, type ContactRevealRequest } from './schema.ts'

/** How contacts are opened. */
export interface OpeningContext {
  seals: ContactSeals
  deliverEmails: DeliverEmails
}

/** The contacts that a request names, each once. */
export interface WantedContacts {
  keys: ContactKeys
  /** The public ids by key, in the order of first appearance. */
  idsByKey: ReadonlyMap<number, string>
}

/** Opens the public ids; those of another kind or mode, and invented ones, are left out. */
export function findWanted(ids: IdSealer, mode: Mode, { contact_ids }: ContactRevealRequest): WantedContacts {
  const idsByKey = new Map<number, string>()
  for (const [index, key] of ids.openMany('contact', contact_ids, mode).entries())
    if (key !== null) idsByKey.set(key, contact_ids[index]!)
  return { keys: contactKeysOf(mode, [...idsByKey.keys()]), idsByKey }
}

/** The contacts that several requests of one mode name, each once. */
export function allKeysOf(wanted: readonly WantedContacts[]): ContactKeys {
  const [{ keys }] = wanted as [WantedContacts]
  if (wanted.length === 1) return keys
  return contactKeysOf(keys.mode, [...new Set(wanted.flatMap(({ idsByKey }) => [...idsByKey.keys()]))])
}

export interface RevealablePerson extends OpenedContact {
  /** The public id. */
  id: string
}

/** The contacts that were read, by key, each opened at most once. */
export class ReadContacts {
  readonly #ctx: OpeningContext
  readonly #rows = new Map<number, ContactWithStoreRow>()
  /** Null for a contact without a deliverable channel. */
  readonly #opened = new Map<number, OpenedContact | null>()

  constructor(ctx: OpeningContext, rows: readonly ContactWithStoreRow[]) {
    this.#ctx = ctx
    for (const row of rows) this.#rows.set(contactKey(row.store_id, row.number), row)
  }

  /** The revealable contacts among those that are wanted, in their order. */
  revealable({ idsByKey }: WantedContacts): RevealablePerson[] {
    const people: RevealablePerson[] = []
    for (const [key, id] of idsByKey) {
      const opened = this.#open(key)
      if (opened) people.push({ key, storeId: opened.storeId, facts: opened.facts, store: opened.store, id })
    }
    return people
  }

  #open(key: number): OpenedContact | null {
    const known = this.#opened.get(key)
    if (known !== undefined) return known
    const row = this.#rows.get(key)
    const contact = row ? openContactRow(this.#ctx.seals, row) : null
    const opened = contact && isRevealable(contact.facts, this.#ctx.deliverEmails) ? contact : null
    this.#opened.set(key, opened)
    return opened
  }
}

const serializeContact = buildSerializer(Contact as object)

/** The body of a reveal: a `ContactRevealResult`. */
export function renderReveal(
  { requestId, deliverEmails }: { requestId: string; deliverEmails: DeliverEmails },
  people: readonly RevealablePerson[],
  { spent, balance, reveals }: Paid,
): JsonText {
  const start = `{"object":"contact_reveal_result","credits":{"spent":${spent.contact_credits},"remaining":${balance.contact_credits}},"data":[`
  const contacts = people.map((person) =>
    serializeContact(describeContact(person.id, person, reveals.get(person.key)!, deliverEmails)),
  )
  return jsonWithList(start, contacts, `],"request_id":"${requestId}"}`)
}
