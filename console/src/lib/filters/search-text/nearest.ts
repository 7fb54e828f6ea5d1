import { toSearchText } from '../taxonomy.ts'
import type { Meaning, Phrases } from './phrases.ts'
import { toKey } from './tokens.ts'

const maxOffers = 4

/** Suggestions for an unknown word, the most likely first. */
export function findNearest(phrases: Phrases, word: string): Meaning[] {
  const key = toKey(word)
  if (key === '') return []
  const ranked: { rank: number; meaning: Meaning }[] = []
  for (const [meaning, keys] of keysOf(phrases)) {
    const rank = rankOf(keys, key)
    if (rank !== undefined) ranked.push({ rank, meaning })
  }
  return ranked
    .sort((a, b) => a.rank - b.rank)
    .slice(0, maxOffers)
    .map(({ meaning }) => meaning)
}

interface LabelKeys {
  whole: string
  words: readonly string[]
}

const known = new WeakMap<Phrases, Map<Meaning, LabelKeys>>()

/** The labels as they are compared; made once. */
function keysOf(phrases: Phrases): Map<Meaning, LabelKeys> {
  let keys = known.get(phrases)
  if (!keys) {
    const keysOfLabel = (label: string) => ({ whole: toKey(label), words: toSearchText(label).split(' ').map(toKey) })
    keys = new Map([...phrases.meanings()].map((meaning) => [meaning, keysOfLabel(meaning.label)]))
    known.set(phrases, keys)
  }
  return keys
}

/** The smaller the likelier: begins like it, has a word that does, is misspelt, contains it. */
function rankOf({ whole, words }: LabelKeys, key: string): number | undefined {
  if (whole.startsWith(key)) return 0
  if (words.some((word) => word.startsWith(key))) return 1
  const mistakes = Math.min(...[whole, ...words].map((word) => distance(word, key, allowedMistakes(key))))
  if (mistakes <= allowedMistakes(key)) return 1 + mistakes
  // `germans` and `brazilian` begin like their country.
  if (sharedStart(whole, key) >= Math.max(4, key.length - 4)) return 5
  return key.length > 2 && whole.includes(key) ? 6 : undefined
}

function allowedMistakes({ length }: string): number {
  return length < 3 ? 0 : length < 5 ? 1 : 2
}

function sharedStart(a: string, b: string): number {
  let length = 0
  while (length < a.length && a[length] === b[length]) length++
  return length
}

/** Letters to change, add, leave out or swap (Damerau-Levenshtein, restricted); more than `limit` where it is more. */
function distance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = a[i - 1] === b[j - 1] ? 0 : 1
      let least = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + change)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, beforeLast[j - 2]! + 1)
      row.push(least)
    }
    beforeLast = last
    last = row
  }
  return last[b.length]!
}
