import type { Reply, Row } from './operations.ts'

export type Store = Row<'searchStores'>

/** A store with its first people and its newest changes. */
export type StorePage = Reply<'viewStore'>

/** A person without channels. */
export type ContactPreview = Row<'searchContacts'>

/** A person with channels. Kept in memory only, and only as long as they are shown. */
export type Contact = Row<'revealContacts'>

export type RevealedContact = Row<'listRevealed'>
