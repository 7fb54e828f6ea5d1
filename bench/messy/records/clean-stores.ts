import { Random, type Weighted } from '../../../catalogue/build/random.ts'
import { generateStores } from '../../../server/test/support/records/store-records.ts'
import { type Dialect, fitsEncoding } from '../dialect.ts'
import { flatten } from '../flatten.ts'
import type { Values } from '../truth.ts'

/** Most stores are where phones for fiction exist, so that their contacts can have national ones. */
const countries: Weighted<string | null>[] = [
  ['US', 30],
  ['GB', 15],
  ['DE', 15],
  ['FR', 8],
  ['AU', 5],
  ['CA', 3],
  ['NL', 3],
  ['ES', 3],
  ['IT', 3],
  ['SE', 2],
  ['CH', 2],
  ['AT', 2],
  ['PL', 2],
  ['DK', 1],
  ['JP', 1],
  ['BR', 1],
  ['CZ', 1],
  ['KR', 1],
  ['FI', 1],
  ['CN', 1],
  ['ID', 1],
].map(([value, weight]) => ({ value: value as string, weight: weight as number }))

const firstWords =
  'Café Little Blue Müller Aurora Ærø Łódź Oak Très São Straße Northern Öland Piñata Crème 東京 Willow Señor'.split(' ')
const lastWords =
  'Lumière Candles Söhne Garn Teas Leather & Cie Provisions Möbel Objects Ceramics Fashion Œuvre Coffee Bäckerei'.split(
    ' ',
  )

/** The clean records of `generateStores`, with names as shops have them and countries as agencies sell them. */
export function* cleanStores(count: number, seed: number, dialect: Dialect): Generator<Values> {
  const random = new Random(seed + 17)
  for (const store of generateStores(count, seed)) {
    const country = store.country === null || random.chance(0.1) ? store.country : random.weighted(countries)
    const many = random.chance(0.9) ? 1_000 + random.below(60_000) : 1_000_000 + random.below(2_000_000)
    const ads = random.chance(0.02) ? many : store.active_ads
    yield flatten({ ...store, name: drawName(random, dialect), country, active_ads: ads })
  }
}

function drawName(random: Random, dialect: Dialect): string {
  const [first, last] = [random.pick(firstWords), random.pick(lastWords)]
  const number = random.below(1_000)
  const name = random.weighted([
    { value: `${first} ${last} ${number}`, weight: 60 },
    { value: `${first} & ${last} ${number}`, weight: 15 },
    { value: `${first}, ${last} & Co; ${number}`, weight: 8 },
    { value: `The "${first}" ${last} ${number}`, weight: 5 },
    { value: `“${first}” – ${last}’s ${number} €`, weight: 5 },
    { value: `${last} (${number})`, weight: 5 },
    { value: `${number} ${last}`, weight: 2 },
  ])
  return fitsEncoding(name, dialect) ? name : `Plain ${number}`
}
