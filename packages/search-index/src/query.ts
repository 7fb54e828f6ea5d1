/** The normal form of searches: tokens, numbers and moments. Callers translate their filters into it. */

/** Milliseconds since 1970, both ends inclusive; null is open. */
export interface MomentRange {
  from: number | null
  to: number | null
}

/** A store matches when all parts hold. A null field of a store is outside every range and below every minimum. */
export interface StoreQuery {
  /** The store has at least one token of each clause; an empty clause matches no store. Sorted and distinct, tokens too. */
  clauses: number[][]
  /** The store has none of these tokens; sorted and distinct. */
  noneOf: number[]
  minActiveAds: number | null
  createdBetween: MomentRange | null
  discoveredBetween: MomentRange | null
}

/** Matches every store. */
export const everyStore: StoreQuery = {
  clauses: [],
  noneOf: [],
  minActiveAds: null,
  createdBetween: null,
  discoveredBetween: null,
}

/** A contact matches when they have one of the roles and one of the packed traits. */
export interface PersonQuery {
  /** Canonical values, sorted and distinct; null for any role, or none. */
  roles: string[] | null
  /** The tokens of the same roles. */
  roleTokens: number[] | null
  /** Sorted and distinct; null for all of them. */
  traits: number[] | null
  /** A store has one of these tokens exactly when it has a matching contact. Sorted and distinct. */
  storeTokens: number[]
}

/** Sorts stores: highest score first, stores without a score last, then by id. */
export interface StoreSortKey {
  /** Infinity for a store without a score. */
  negatedScore: number
  storeId: number
}

/** Sorts contacts: by store, then seniority, verified email first, number. */
export interface ContactSortKey extends StoreSortKey {
  /** The rank within the store (`rankInStore`); its last twelve bits are the contact's number. */
  contact: number
}

export interface ContactQuery {
  store: StoreQuery
  /** The only stores to search; null for all. */
  storeIds: number[] | null
  person: PersonQuery
  /** At most this many contacts of each store, over all pages. */
  maxPerStore: number
  /** Contacts to leave out, as if they were not there: ascending lists of contact keys. */
  without?: readonly Float64Array[]
  after: ContactSortKey | null
  limit: number
}
