import { expect } from 'vitest'

/**
 * A rule holds except where `known` says otherwise. What is known and no longer found fails too, so the list only gets shorter.
 */
export function expectOnlyKnown(found: Iterable<string>, known: readonly string[] = []): void {
  const all = new Set(found)
  const added = [...all].filter((each) => !known.includes(each)).sort()
  const outdated = known.filter((each) => !all.has(each))
  expect({ added, 'on the list of exceptions, and to be taken off it': outdated }).toEqual({
    added: [],
    'on the list of exceptions, and to be taken off it': [],
  })
}
