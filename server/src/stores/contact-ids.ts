import { contactKey, contactsPerStore } from '../kernel/ids.ts'
import type { ContactPosition } from '../search/engine.ts'

/** The internal keys of the people who stand there. */
export function contactIdsAt(positions: readonly ContactPosition[]): number[] {
  return positions.map(({ storeId, contact }) => contactKey(storeId, contact % contactsPerStore))
}
