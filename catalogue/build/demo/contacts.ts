import { readFileSync } from 'node:fs'
import type { Seniority } from '@storedex/search-index'
import { Random, type Weighted } from '../random.ts'
import type { ContactRecord, StoreRecord } from '../records.ts'
import { trafficTiers } from '../taxonomy/fixed-facets.ts'
import { addressShapes, ChannelGenerator } from './channels.ts'
import { type DemoPerson, PersonGenerator } from './persons.ts'
import { demoStores } from './stores.ts'

const seed = 20_261_121

/** Weights of one person, two, and so on, at shops of few visitors and of many. */
const smallTeams = teamSizes([26, 20, 16, 13, 10, 7, 5, 3])
const largeTeams = teamSizes([4, 6, 10, 14, 17, 18, 16, 15])
const nobodyShare = 0.15

/** The people of the documentation's examples. */
const auroraTeam: ContactRecord[] = [
  {
    store_domain: 'aurora-candles.example',
    external_id: 'c-1',
    first_name: 'Mara',
    last_name: 'Lindqvist',
    title: 'Head of Marketing',
    role: 'marketing',
    seniority: 'decision_maker',
    profile_url: 'https://people.example/mara',
    emails: [{ email: 'mara@aurora-candles.example', status: 'verified', type: 'work', is_primary: true }],
    phones: [{ phone: '+1 202 555 0100', type: 'office', is_primary: true }],
  },
  {
    store_domain: 'aurora-candles.example',
    external_id: 'c-2',
    first_name: 'Jonas',
    last_name: 'Weidner',
    title: 'Gründer',
    role: 'founder',
    seniority: 'executive',
    emails: [
      { email: 'jonas@aurora-candles.example', status: 'accept_all', type: 'work', is_primary: true },
      { email: 'hello@aurora-candles.example', status: 'verified', type: 'role', is_primary: false },
    ],
  },
  {
    store_domain: 'aurora-candles.example',
    external_id: 'c-3',
    first_name: 'Elif',
    last_name: 'Kaya',
    title: 'E-Commerce Manager',
    role: 'ecommerce',
    seniority: 'decision_maker',
    profile_url: 'https://people.example/elif-kaya',
    phones: [{ phone: '+1 202 555 0101', type: 'mobile', is_primary: true }],
  },
  {
    store_domain: 'aurora-candles.example',
    external_id: 'c-4',
    first_name: 'Tom',
    last_name: 'Brandt',
    title: 'Customer Support Agent',
    role: 'customer_support',
    seniority: 'other',
    emails: [{ email: 'tom@aurora-candles.example', status: 'bounced', type: 'work', is_primary: true }],
  },
]

/** The invented people of the demonstration: the same ones on every call, at invented shops only. */
export function demoContacts(): ContactRecord[] {
  const random = new Random(seed)
  const persons = new PersonGenerator(random)
  const channels = new ChannelGenerator(random)
  const contacts = [...auroraTeam]
  for (const store of demoStores().slice(1)) {
    const addressShape = random.weighted(addressShapes)
    for (const position of pickPositions(random, teamSize(random, store))) {
      const person = persons.make(store.country ?? null)
      contacts.push({
        store_domain: store.domain,
        external_id: `c-${contacts.length + 1}`,
        ...knownNames(random, person),
        ...knownPosition(random, position, person.language),
        ...channels.make(person, store.domain, addressShape),
      })
    }
  }
  return contacts
}

function teamSize(random: Random, { traffic_tier }: StoreRecord): number {
  if (random.chance(nobodyShare)) return 0
  const tier = trafficTiers.findIndex(({ value }) => value === traffic_tier)
  return random.weighted(tier >= 3 ? largeTeams : smallTeams)
}

/** Leaves out names of a few people: one of the two, both but the full name, or all. */
function knownNames(
  random: Random,
  { firstName, lastName, fullName }: DemoPerson,
): Pick<ContactRecord, 'first_name' | 'last_name' | 'full_name'> {
  const chance = random.fraction()
  if (chance < 0.005) return {}
  if (chance < 0.03) return { first_name: firstName }
  if (chance < 0.05) return { full_name: fullName ?? `${firstName} ${lastName}` }
  return { first_name: firstName, last_name: lastName, ...(fullName ? { full_name: fullName } : {}) }
}

function knownPosition(
  random: Random,
  position: Position,
  language: string,
): Pick<ContactRecord, 'title' | 'role' | 'seniority'> {
  const title = pickTitle(random, position, language)
  return {
    ...(random.chance(0.05) ? {} : { title }),
    ...(position.role ? { role: position.role } : {}),
    seniority: position.seniority,
  }
}

function teamSizes(weights: number[]): Weighted<number>[] {
  return weights.map((weight, index) => ({ value: index + 1, weight }))
}

/** A role in the demonstration, with its job titles. */
interface Position {
  /** Null when the title implies no role. */
  role: string | null
  seniority: Seniority
  weight: number
  /** Weight for the first person of a shop, often the only one. */
  weightAsFirst: number
  /** By language; English always. */
  titles: { en: string[] } & Record<string, string[]>
}

const file = new URL('../demo-positions.json', import.meta.url)
const { positions } = JSON.parse(readFileSync(file, 'utf8')) as { positions: Position[] }
const asFirst = positions.map((value) => ({ value, weight: value.weightAsFirst }))
const asOther = positions.map((value) => ({ value, weight: value.weight }))

/** Positions for the people of a shop: several founders are possible, but only one of each other executive role. */
function pickPositions(random: Random, count: number): Position[] {
  const picked: Position[] = []
  while (picked.length < count) {
    const position = random.weighted(picked.length === 0 ? asFirst : asOther)
    const isSingle = position.seniority === 'executive' && position.role !== 'founder'
    if (!isSingle || !picked.includes(position)) picked.push(position)
  }
  return picked
}

/** Uses the title in the person's language half of the time, where there is one. */
function pickTitle(random: Random, position: Position, language: string): string {
  const local = position.titles[language]
  return random.pick(local && random.chance(0.5) ? local : position.titles.en)
}
