import { readFileSync } from 'node:fs'
import type { Seniority } from '../../packages/search-index/src/traits.ts'
import type { Random } from './random.ts'

/** What people of the demonstration do, and what they call it. */
export interface Position {
  /** Null where the title tells of none. */
  role: string | null
  seniority: Seniority
  weight: number
  /** For the person whom a shop is known by, often the only one. */
  weightAsFirst: number
  /** By language; English always. */
  titles: { en: string[] } & Record<string, string[]>
}

const file = new URL('demo-positions.json', import.meta.url)
const { positions } = JSON.parse(readFileSync(file, 'utf8')) as { positions: Position[] }
const asFirst = positions.map((value) => ({ value, weight: value.weightAsFirst }))
const asOther = positions.map((value) => ({ value, weight: value.weight }))

/** Positions for the people of a shop. Founders may be several, of other executives there is one per role. */
export function pickPositions(random: Random, count: number): Position[] {
  const picked: Position[] = []
  while (picked.length < count) {
    const position = random.weighted(picked.length === 0 ? asFirst : asOther)
    const isSingle = position.seniority === 'executive' && position.role !== 'founder'
    if (!isSingle || !picked.includes(position)) picked.push(position)
  }
  return picked
}

/** Half of those whose own language has a word for it use that one. */
export function pickTitle(random: Random, position: Position, language: string): string {
  const local = position.titles[language]
  return random.pick(local && random.chance(0.5) ? local : position.titles.en)
}
