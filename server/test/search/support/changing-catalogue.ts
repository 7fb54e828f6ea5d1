import { rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { expect } from 'vitest'
import { eraseContacts } from '../../../src/catalogue/erasure/erase-contacts.ts'
import { importContacts } from '../../../src/catalogue/imports/contacts/import-contacts.ts'
import { importStores } from '../../../src/catalogue/imports/stores/import-stores.ts'
import type { Actor } from '../../../src/customers/auth/actor.ts'
import type { Mode } from '../../../src/foundation/kernel/ids.ts'
import type { Deps } from '../../../src/operations/deps.ts'
import { type PersonFacts, type StoreFacts, vocabulary, words } from './random-catalogue.ts'
import type { StoreOnFile } from './reference.ts'

/** A catalogue changed by imports and erasures, with a model of its expected contents. */

/** Stores and contacts have small numbers as names, the same in every change. */
export type Change =
  | { kind: 'stores'; mode: Mode; stores: { name: number; facts: StoreFacts }[] }
  | { kind: 'people'; mode: Mode; people: { store: number; name: number; facts: PersonFacts }[] }
  /** Erases a contact that exists, or an unknown address. */
  | { kind: 'erasure'; pick: number }

interface PersonOnFile {
  name: number
  number: number
  facts: PersonFacts
}

interface Shop {
  mode: Mode
  name: number
  facts: StoreFacts
  people: PersonOnFile[]
  nextNumber: number
}

type ImportDeps = Pick<Deps, 'db' | 'clock' | 'ids' | 'seals'> & { actor: Actor }

export class ChangingCatalogue {
  readonly #deps: ImportDeps
  readonly #shops = new Map<string, Shop>()
  /** Addresses that imports must not add again. */
  readonly #erased = new Set<string>()

  constructor(deps: ImportDeps) {
    this.#deps = deps
  }

  /** Replaces the taxonomy by the values of the random stores. */
  async useTestTaxonomy(): Promise<void> {
    const { db } = this.#deps
    await db.query('delete from taxonomy_values')
    const terms = Object.entries(words).flatMap(([facet, list]) =>
      list.map((word) => {
        const [value, parent = null] = word.split('/') as [string, string?]
        return { facet, value, parent, token: vocabulary.find(facet as keyof typeof words, value)!.token }
      }),
    )
    await db.query(
      `insert into taxonomy_values (facet, value, token, label, parent, position)
       select facet, value, token, value, parent, token
       from jsonb_to_recordset($1::jsonb) as term (facet text, value text, parent text, token integer)`,
      [JSON.stringify(terms)],
    )
  }

  async apply(change: Change): Promise<void> {
    if (change.kind === 'stores') return this.#writeStores(change.mode, change.stores)
    if (change.kind === 'people') return this.#writePeople(change.mode, change.people)
    return this.#erase(change.pick)
  }

  /** The expected stores; only their ids are read from the database. */
  async stores(): Promise<StoreOnFile[]> {
    const { rows } = await this.#deps.db.query<{ mode: Mode; host: string; store_id: number }>(
      'select mode, host, store_id from store_domains',
    )
    const ids = new Map(rows.map((row) => [`${row.mode} ${row.host}`, row.store_id]))
    return [...this.#shops.values()].map(({ mode, name, facts, people }) => ({
      ...facts,
      mode,
      id: ids.get(`${mode} ${hostOf(name)}`)!,
      people: people.map((person) => person.facts),
      numbers: people.map((person) => person.number),
    }))
  }

  async newestBatch(): Promise<number> {
    const { rows } = await this.#deps.db.query<{ batch: number }>('select batch from catalogue_state')
    return rows[0]!.batch
  }

  async #writeStores(mode: Mode, stores: { name: number; facts: StoreFacts }[]): Promise<void> {
    await this.#import(importStores, mode, stores.map(storeRecord))
    for (const { name, facts } of stores) {
      const shop = this.#shops.get(`${mode} ${name}`)
      if (shop) shop.facts = facts
      else this.#shops.set(`${mode} ${name}`, { mode, name, facts, people: [], nextNumber: 0 })
    }
  }

  async #writePeople(mode: Mode, people: { store: number; name: number; facts: PersonFacts }[]): Promise<void> {
    const known = people.filter(({ store }) => this.#shops.has(`${mode} ${store}`))
    await this.#import(importContacts, mode, known.map(personRecord))
    for (const { store, name, facts } of known) {
      const shop = this.#shops.get(`${mode} ${store}`)!
      const person = shop.people.find((one) => one.name === name)
      if (person) person.facts = facts
      else if (mode === 'test' || !this.#erased.has(addressOf(store, name)))
        shop.people.push({ name, number: shop.nextNumber++, facts })
    }
  }

  async #erase(pick: number): Promise<void> {
    const onFile = [...this.#shops.values()]
      .filter(({ mode }) => mode === 'live')
      .flatMap((shop) => shop.people.map((person) => ({ shop, person })))
    const found = onFile[pick % (onFile.length + 1)]
    const address = found ? addressOf(found.shop.name, found.person.name) : 'stranger@shop-0.example'
    expect(await eraseContacts(this.#deps, { email: address })).toEqual({ erased: found ? 1 : 0 })
    if (!found) return
    this.#erased.add(address)
    found.shop.people = found.shop.people.filter((person) => person !== found.person)
  }

  async #import(importFile: typeof importStores, mode: Mode, records: object[]): Promise<void> {
    if (records.length === 0) return
    const stdin = Readable.from([Buffer.from(records.map((record) => JSON.stringify(record)).join('\n'))])
    const { rejects_file } = await importFile(this.#deps, { file: '-', stdin, mode, extendTaxonomy: false })
    // Records of erased people are refused; their file would stay in the current folder.
    if (rejects_file !== null) await rm(rejects_file)
  }
}

const hostOf = (name: number) => `shop-${name}.example`
/** The email address of a contact. */
const addressOf = (store: number, name: number) => `person-${name}@${hostOf(store)}`

function storeRecord({ name, facts }: { name: number; facts: StoreFacts }): object {
  return {
    domain: hostOf(name),
    name: `Shop ${name}`,
    category: facts.category,
    country: facts.country,
    traffic_tier: facts.traffic,
    revenue_tier: facts.revenue,
    platform_plus: facts.plus,
    lead_fit_score: facts.score,
    store_created_at: facts.createdAt && {
      estimate: facts.createdAt,
      resolution: 'exact',
      source: 'platform',
      confidence: 'high',
    },
    first_discovered_at: facts.discoveredAt,
    active_ads: facts.ads,
    technologies: { apps: facts.apps, pixels: facts.pixels, theme: { name: null, type: facts.theme } },
  }
}

function personRecord({ store, name, facts }: { store: number; name: number; facts: PersonFacts }): object {
  const { role, seniority, verifiedEmail, otherEmail, phone, profile } = facts
  const status = verifiedEmail ? 'verified' : otherEmail ? 'unknown' : 'bounced'
  const digits = String(store * 1000 + name).padStart(7, '0')
  return {
    store_domain: hostOf(store),
    external_id: `person-${name}`,
    role,
    seniority,
    emails: [{ email: addressOf(store, name), status, type: 'work', is_primary: true }],
    phones: phone ? [{ phone: `+4930${digits}`, type: 'office', is_primary: true }] : null,
    profile_url: profile ? `https://www.linkedin.com/in/person-${name}-of-${store}` : null,
  }
}
