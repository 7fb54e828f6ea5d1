import { placeInStore } from '../traits.ts'
import { type Contacts, layContacts, signatureKey } from './layout.ts'
import { NumberTable } from './number-table.ts'
import type { StagedStores } from './segment.ts'
import { moveStarts } from './sort.ts'

/** The contacts of staged rows, by where their documents stand. */
export function buildContacts(staged: StagedStores, documentOf: Uint32Array): Contacts {
  const { contactStarts: rowStarts, contactRoles, contactTraits, contactNumbers } = staged
  const table = new NumberTable()
  for (let contact = 0; contact < contactRoles.length; contact++)
    table.add(signatureKey(contactRoles[contact]!, contactTraits[contact]!))
  const { values: keys } = table.sort()
  const laid = layContacts(moveStarts(rowStarts, documentOf), keys)
  const { contactStarts, contactSignatures: laidSignatures, contactNumbers: laidNumbers } = laid
  let order = new Uint32Array(64)
  // Row by row, since reading where memory was not expected to be read takes longer than writing there.
  for (let row = 0; row < documentOf.length; row++) {
    const start = rowStarts[row]!
    const count = rowStarts[row + 1]! - start
    if (count > order.length) order = new Uint32Array(count)
    orderByPlace(order, staged, start, count)
    const target = contactStarts[documentOf[row]!]!
    for (let index = 0; index < count; index++) {
      const contact = start + (order[index]! & indexMask)
      const key = signatureKey(contactRoles[contact]!, contactTraits[contact]!)
      laidSignatures[target + index] = table.numberOf(key)
      laidNumbers[target + index] = contactNumbers[contact]!
    }
  }
  return laid
}

/** A store has no more contacts than this can index, since their numbers are of 16 bits; the place goes above it. */
const indexMask = 0xffff

/** Moving numbers up one by one beats the library's sort for lists up to about this long; nearly all are. */
const shortList = 48

/** Writes which contact of a store comes first, second and so on into the lower bits of `order`. */
function orderByPlace(
  order: Uint32Array,
  { contactTraits, contactNumbers }: StagedStores,
  start: number,
  count: number,
): void {
  for (let index = 0; index < count; index++) {
    const place = placeInStore(contactTraits[start + index]!, contactNumbers[start + index]!)
    const key = place * (indexMask + 1) + index
    let at = index
    if (count <= shortList) for (; at > 0 && order[at - 1]! > key; at--) order[at] = order[at - 1]!
    order[at] = key
  }
  if (count > shortList) order.subarray(0, count).sort()
}
