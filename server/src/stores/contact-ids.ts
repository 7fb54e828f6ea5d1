import type { ContactPosition } from '@storedex/search-index'
import { contactsPerStore } from '@storedex/search-index'
import { contactKey } from '../kernel/ids.ts'

/** The internal keys of the people who stand there. */
export function contactIdsAt(positions: readonly ContactPosition[]): number[] {
  return positions.map(({ storeId, contact }) => contactKey(storeId, contact % contactsPerStore))
}
