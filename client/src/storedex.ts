import type { ApiRequest, CallOptions, StoredexOptions } from './options.ts'
import { resolveIdempotencyKey } from './parts.ts'
import { ApiPromise } from './reply.ts'
import { Billing, Quotes, Taxonomy, Usage } from './resources/account.ts'
import { Contacts } from './resources/contacts.ts'
import { Exports } from './resources/exports.ts'
import { Lists } from './resources/lists.ts'
import { Stores } from './resources/stores.ts'
import { Transport } from './transport/transport.ts'

/** A request of the low level. */
export interface RequestOptions extends Omit<ApiRequest, 'headers'>, CallOptions {}

/** A client of the Storedex API. It holds no connection, so it needs no end. */
export class Storedex {
  readonly usage: Usage
  readonly taxonomy: Taxonomy
  readonly stores: Stores
  readonly contacts: Contacts
  readonly quotes: Quotes
  readonly lists: Lists
  readonly exports: Exports
  readonly billing: Billing
  readonly #transport: Transport

  constructor(options: StoredexOptions) {
    const transport = new Transport(options)
    this.#transport = transport
    this.usage = new Usage(transport)
    this.taxonomy = new Taxonomy(transport)
    this.stores = new Stores(transport)
    this.contacts = new Contacts(transport)
    this.quotes = new Quotes(transport)
    this.lists = new Lists(transport)
    this.exports = new Exports(transport)
    this.billing = new Billing(transport)
  }

  /** Any request below `/api/v1`, with the timeouts, retries and errors of the other methods. */
  request<T>({ method, path, query, body, idempotencyKey, repeatable, ...options }: RequestOptions): ApiPromise<T> {
    const key = idempotencyKey === undefined ? undefined : resolveIdempotencyKey(idempotencyKey)
    const request = { method, path, query, body, repeatable, idempotencyKey: key }
    return new ApiPromise(this.#transport.send<T>(request, options))
  }
}
