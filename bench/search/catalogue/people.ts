import { packTraits, seniorities, signatureToken, traitsToken } from '@storedex/search-index'
import type { Random } from '../../../catalogue/build/random.ts'
import { flagTokens, type Term } from '../../../server/src/search/query/vocabulary.ts'
import { AliasSampler, drawExponential } from './distributions.ts'
import type { BenchTaxonomy } from './taxonomy.ts'

const maxContacts = 40
const [executive, decisionMaker, other] = seniorities.map((_, index) => index) as [number, number, number]

/** Frequency of a role, and the percentages of executives and decision makers in it. */
const roleShapes: Record<string, [weight: number, executives: number, decisionMakers: number]> = {
  founder: [22, 92, 8],
  ceo: [12, 97, 3],
  marketing: [15, 4, 46],
  ecommerce: [9, 3, 47],
  operations: [8, 9, 41],
  sales: [7, 3, 32],
  customer_support: [7, 0, 12],
  technology: [5, 12, 38],
  finance: [4, 15, 35],
  growth: [3, 2, 58],
  product: [3, 3, 42],
  design: [2, 0, 25],
}
const otherRole = [3, 0, 20] as const

/** Generates the contacts of one store after the other. */
export class ContactGenerator {
  readonly #roles: readonly Term[]
  readonly #role: AliasSampler
  /** Role tokens and packed traits of the last store's contacts, by number from 0. */
  readonly roles = new Int32Array(maxContacts)
  readonly traits = new Uint8Array(maxContacts)
  count = 0

  constructor(taxonomy: BenchTaxonomy) {
    this.#roles = taxonomy.ranked('role')
    this.#role = new AliasSampler(this.#roles.map(({ value }) => shapeOf(value)[0]))
  }

  /** Draws the contacts of a store. A higher quality gives more contacts. */
  drawStore(random: Random, quality: number): void {
    this.count = random.chance(0.22)
      ? 0
      : Math.min(1 + Math.floor(drawExponential(random, 2 + quality * 5)), maxContacts)
    for (let number = 0; number < this.count; number++) {
      const role = random.chance(0.06) ? undefined : this.#roles[this.#role.draw(random)]!
      const [, executives, decisionMakers] = role ? shapeOf(role.value) : otherRole
      const rank = random.fraction() * 100
      const seniority = rank < executives ? executive : rank < executives + decisionMakers ? decisionMaker : other
      this.roles[number] = role?.token ?? 0
      this.traits[number] = packTraits({
        seniority: seniorities[seniority]!,
        hasVerifiedEmail: random.chance(0.6),
        hasPhone: random.chance(0.3),
        hasProfile: random.chance(0.55),
      })
    }
  }

  /** Adds the store's tokens for the contacts last drawn, with duplicates. */
  addTokens(add: (token: number) => void): void {
    for (let number = 0; number < this.count; number++) {
      const [role, packed] = [this.roles[number]!, this.traits[number]!]
      add(flagTokens.contacts)
      if (isRevealable(packed, number)) add(flagTokens.revealableContacts)
      if (isRevealableVerified(packed)) add(flagTokens.verifiedRevealableContacts)
      add(traitsToken(packed))
      if (role === 0) continue
      add(role)
      add(signatureToken(role, packed))
    }
  }
}

/** Every other contact without a verified email has an unverified one, which may be delivered. */
export function isRevealable(packed: number, number: number): boolean {
  return isRevealableVerified(packed) || number % 2 === 0
}

export function isRevealableVerified(packed: number): boolean {
  return (packed & 4) === 0 || (packed & 3) !== 0
}

function shapeOf(role: string): readonly [number, number, number] {
  return roleShapes[role] ?? otherRole
}
