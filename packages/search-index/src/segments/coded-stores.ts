import { signatureKey } from './layout.ts'
import { NumberTable } from './number-table.ts'
import type { CodedStores, Codes, StagedStores } from './segment.ts'

/** Two bytes for each number of a table of this size if they fit, else four. */
export function codesFor(tableSize: number, length: number): Codes {
  return tableSize <= 0x1_0000 ? new Uint16Array(length) : new Uint32Array(length)
}

export function encodeStores({ tokens, contactRoles, contactTraits, ...columns }: StagedStores): CodedStores {
  const [tokenTable, signatureTable] = [new NumberTable(), new NumberTable()]
  return {
    ...columns,
    tokenTable,
    tokens: encode(tokenTable, tokens.length, (at) => tokens[at]!),
    signatureTable,
    contactSignatures: encode(signatureTable, contactRoles.length, (at) =>
      signatureKey(contactRoles[at]!, contactTraits[at]!),
    ),
  }
}

function encode(table: NumberTable, length: number, valueAt: (at: number) => number): Codes {
  const codes = new Uint32Array(length)
  for (let at = 0; at < length; at++) codes[at] = table.add(valueAt(at))
  return codes
}
