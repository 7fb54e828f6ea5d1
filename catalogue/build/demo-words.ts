import { readFileSync } from 'node:fs'

/** What the invented shops of the demonstration are called, sell, and use. */
export interface DemoWords {
  lines: Line[]
  /** What most names begin with. */
  firstWords: string[]
  localWords: LocalWords[]
  /** From the most shops to the fewest; Namibia is among them because its code, NA, trips careless readers. */
  countriesByShops: string[]
  /** Pixels that only shops of these countries carry. */
  regionalPixels: Record<string, string[]>
  /** From the most used to the least. */
  freeThemes: string[]
  paidThemes: string[]
}

/** One line of business. */
export interface Line {
  category: string
  weight: number
  /** What a name ends with. */
  goods: string[]
}

/** A word with the spelling that stands for it in a host name. */
export type SpelledWord = [written: string, inHost: string]

/** Names in the script of these countries. */
interface LocalWords {
  countries: string[]
  firsts: SpelledWord[]
  goods: SpelledWord[]
  /** What stands between the two words. */
  joint: string
}

export const words = JSON.parse(readFileSync(new URL('demo-words.json', import.meta.url), 'utf8')) as DemoWords

export const nameShapes: ((first: string, goods: string) => string)[] = [
  (first, goods) => `${first} ${goods}`,
  (first, goods) => `${first} ${goods}`,
  (first, goods) => `${first} & Co. ${goods}`,
  (first, goods) => `The ${first} ${goods}`,
  (first, goods) => `Little ${first} ${goods}`,
  (first, goods) => `${first} Lane ${goods}`,
]
