import { readFileSync } from 'node:fs'
import type { Random } from '../random.ts'
import { slugOf } from '../taxonomy/sources.ts'

interface DemoName {
  name: string
  domain: string
  aliases: string[]
}

/** A name for a shop of this line and country, on a host that no other shop of the catalogue has. */
export function demoName(random: Random, line: Line, country: string, takenDomains: Set<string>): DemoName {
  for (;;) {
    const [name, inHost] = inventName(random, line, country)
    const domain = `${inHost}.example`
    if (takenDomains.has(domain)) continue
    takenDomains.add(domain)
    return { name, domain, aliases: inventAliases(random, inHost) }
  }
}

function inventName(random: Random, line: Line, country: string): SpelledWord {
  const local = words.localWords.find((entry) => entry.countries.includes(country))
  if (local && random.chance(0.5)) {
    const [first, firstInHost] = random.pick(local.firsts)
    const [goods, goodsInHost] = random.pick(local.goods)
    // The number keeps apart the many shops that a short list of words would give the same host.
    return [`${first}${local.joint}${goods}`, `${firstInHost}-${goodsInHost}-${10 + random.below(90)}`]
  }
  const name = random.pick(nameShapes)(random.pick(words.firstWords), random.pick(line.goods))
  return [name, slugOf(name).replaceAll('_', '-')]
}

/** A quarter has an alias on the platform's host, and a few have a former host. */
function inventAliases(random: Random, inHost: string): string[] {
  const platformHost = random.chance(0.25) ? [`${inHost}.myshopify.example`] : []
  const formerHost = random.chance(0.05) ? [`shop-${inHost}.example`] : []
  return [...platformHost, ...formerHost]
}

/** Names, goods and technologies of the demonstration's invented shops. */
interface DemoWords {
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
interface Line {
  category: string
  weight: number
  /** What a name ends with. */
  goods: string[]
}

/** A word with the spelling that stands for it in a host name. */
type SpelledWord = [written: string, inHost: string]

/** Names in the script of these countries. */
interface LocalWords {
  countries: string[]
  firsts: SpelledWord[]
  goods: SpelledWord[]
  /** Separator between the two words. */
  joint: string
}

export const words = JSON.parse(readFileSync(new URL('../demo-words.json', import.meta.url), 'utf8')) as DemoWords

const nameShapes: ((first: string, goods: string) => string)[] = [
  (first, goods) => `${first} ${goods}`,
  (first, goods) => `${first} ${goods}`,
  (first, goods) => `${first} & Co. ${goods}`,
  (first, goods) => `The ${first} ${goods}`,
  (first, goods) => `Little ${first} ${goods}`,
  (first, goods) => `${first} Lane ${goods}`,
]
