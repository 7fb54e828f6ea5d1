import type { Queryable } from '../../foundation/db/pool.ts'
import { describeDomainFault, normalizeDomain } from '../../foundation/kernel/domain.ts'
import { OperatorError } from '../../foundation/kernel/errors.ts'
import type { Store } from '../../product/delivery/store-document.ts'
import { type NamedStoreRow, selectStoreByHost } from './named-store-queries.ts'

/** A live store as an operator sees it: the public document, and what no reply shows. */
export interface StoreReport extends Store {
  aliases: string[]
  active_ads: number | null
  /** How many contacts are on file, revealable or not. */
  contacts: number
  /** The batch that last wrote the store, and when; null for old batches. */
  batch: number
  batch_written_at: string | null
}

/** Reads a live store by its domain, an alias, or a URL with either. */
export async function readStore(db: Queryable, domain: string): Promise<StoreReport> {
  return reportStore(await requireStore(db, requireHost(domain)))
}

export function reportStore({ document, aliases, active_ads, contacts, ...row }: NamedStoreRow): StoreReport {
  return {
    ...(JSON.parse(document) as Store),
    ...{ aliases, active_ads, contacts, batch: row.batch },
    batch_written_at: row.batch_written_at?.toISOString() ?? null,
  }
}

/** The normal form of a domain or URL that an operator gave. */
export function requireHost(domain: string): string {
  const host = normalizeDomain(domain)
  if (host === null) {
    const character = describeDomainFault(domain)
    const cause = character === null ? '' : ` It has ${character}, which no domain has.`
    throw new OperatorError(
      `${JSON.stringify(domain)} is not a domain or a URL with one, such as shop.example.${cause}`,
    )
  }
  return host
}

async function requireStore(db: Queryable, host: string): Promise<NamedStoreRow> {
  // Earlier versions took away one www. of several: what they stored can be shown, renamed and removed.
  for (const name of [host, `www.${host}`, `www.www.${host}`]) {
    const store = await selectStoreByHost(db, name)
    if (store) return store
  }
  throw new OperatorError(`The live catalogue has no store with the domain or alias ${host}.`)
}

/** A store that is to be changed for good has to be named by its domain: an alias may be a slip. */
export async function requireStoreByDomain(db: Queryable, domain: string): Promise<NamedStoreRow> {
  const host = requireHost(domain)
  const store = await requireStore(db, host)
  if (normalizeDomain(store.domain) !== host)
    throw new OperatorError(`${host} is an alias of ${store.domain}; give that domain.`)
  return store
}
