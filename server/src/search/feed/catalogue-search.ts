import type { ContactPosition, ContactSearch, SearchEngine, StorePosition, StoreSearch } from '../engine.ts'

export interface CatalogueSearchOptions {
  postgres: SearchEngine
}

/** The search that requests use: whichever engine can answer now. */
export class CatalogueSearch implements SearchEngine {
  readonly #postgres: SearchEngine

  constructor({ postgres }: CatalogueSearchOptions) {
    this.#postgres = postgres
  }

  findStores(search: StoreSearch): Promise<StorePosition[]> {
    return this.#postgres.findStores(search)
  }

  findContacts(search: ContactSearch): Promise<ContactPosition[]> {
    return this.#postgres.findContacts(search)
  }
}
