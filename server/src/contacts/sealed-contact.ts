import type { ContactFacts } from '../encryption/contact-facts.ts'
import { contactKey } from '../kernel/ids.ts'
import type { Sealer } from '../kernel/seal.ts'

/** The sealed part of a contact opens in its own row only. */
export function sealContact(sealer: Sealer, storeId: number, number: number, facts: ContactFacts): Buffer {
  return sealer.seal(JSON.stringify(facts), rowIdentity(storeId, number))
}

export function openContact(sealer: Sealer, storeId: number, number: number, sealed: Buffer): ContactFacts {
  return JSON.parse(sealer.open(sealed, rowIdentity(storeId, number)).toString()) as ContactFacts
}

/** What a contact's sealed bytes are bound to. */
export function rowIdentity(storeId: number, number: number): string {
  return `contact ${contactKey(storeId, number)}`
}
