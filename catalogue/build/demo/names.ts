import { type Line, nameShapes, type SpelledWord, words } from '../demo-words.ts'
import type { Random } from '../random.ts'
import { slugOf } from '../slug.ts'

export interface DemoName {
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

/** A quarter answer on the platform's own host too, and a few on an older name. */
function inventAliases(random: Random, inHost: string): string[] {
  const platformHost = random.chance(0.25) ? [`${inHost}.myshopify.example`] : []
  const formerHost = random.chance(0.05) ? [`shop-${inHost}.example`] : []
  return [...platformHost, ...formerHost]
}
