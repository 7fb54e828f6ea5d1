import type { Email, Phone } from '../../../server/src/foundation/encryption/contact-facts.ts'
import type { Random, Weighted } from '../random.ts'
import type { ContactRecord } from '../records.ts'
import type { DemoPerson } from './persons.ts'

type Channels = Pick<ContactRecord, 'profile_url' | 'emails' | 'phones'>

const delivered: Weighted<Email['status']>[] = [
  { value: 'verified', weight: 60 },
  { value: 'accept_all', weight: 17 },
  { value: 'unverified', weight: 13 },
  { value: 'unknown', weight: 10 },
]
const withheld: Weighted<Email['status']>[] = [
  { value: 'bounced', weight: 45 },
  { value: 'guessed', weight: 30 },
  { value: 'invalid', weight: 20 },
  { value: 'suppressed', weight: 5 },
]
const emailTypes: Weighted<Email['type']>[] = [
  { value: 'work', weight: 86 },
  { value: 'personal', weight: 7 },
  { value: 'role', weight: 4 },
  { value: 'unknown', weight: 3 },
]
const phoneTypes: Weighted<Phone['type']>[] = [
  { value: 'mobile', weight: 35 },
  { value: 'office', weight: 30 },
  { value: 'direct', weight: 25 },
  { value: 'unknown', weight: 10 },
]

const roleAddresses = ['hello', 'info', 'contact', 'team', 'sales', 'press']
const mailHosts = ['mailbox.example', 'post.example', 'letters.example']
/** Numbers 555-0100 to 555-0199 of any area are set aside for fiction. */
const areaCodes = [
  201, 203, 205, 206, 207, 208, 209, 210, 212, 213, 214, 215, 216, 217, 301, 302, 303, 304, 305, 307, 308, 309, 310,
  312, 313, 314, 315, 316, 401, 402, 404, 405, 406, 407, 408, 410, 412, 413, 414, 415, 417, 419, 501, 502, 503, 504,
  505,
]
const phoneShapes: ((area: number, line: string) => string)[] = [
  (area, line) => `+1 ${area} 555 ${line}`,
  (area, line) => `+1${area}555${line}`,
  (area, line) => `+1-${area}-555-${line}`,
]

/** Spells a person's email address at a store. */
export type AddressShape = (latin: DemoPerson['latin']) => string

export const addressShapes: Weighted<AddressShape>[] = [
  { value: ({ first }) => first, weight: 45 },
  { value: ({ first, last }) => `${first}.${last}`, weight: 40 },
  { value: ({ first, last }) => `${first[0]}.${last}`, weight: 15 },
]

/** Generates unique channels for people. */
export class ChannelGenerator {
  readonly #random: Random
  readonly #taken = new Set<string>()

  constructor(random: Random) {
    this.#random = random
  }

  /** One person in twelve has no deliverable channel. */
  make(person: DemoPerson, host: string, shape: AddressShape): Channels {
    const random = this.#random
    if (random.chance(0.08))
      return random.chance(0.5) ? {} : { emails: [this.#email('work', person, host, shape, withheld)] }
    const hasEmail = random.chance(0.72)
    const hasPhone = random.chance(0.38)
    const hasProfile = random.chance(0.46) || !(hasEmail || hasPhone)
    return {
      ...(hasProfile ? { profile_url: this.#profile(person) } : {}),
      ...(hasEmail ? { emails: this.#emails(person, host, shape) } : {}),
      ...(hasPhone ? { phones: this.#phones() } : {}),
    }
  }

  #emails(person: DemoPerson, host: string, shape: AddressShape): Email[] {
    const random = this.#random
    const first = this.#email(random.weighted(emailTypes), person, host, shape, delivered)
    if (!random.chance(0.12)) return [first]
    const secondType = first.type === 'personal' ? 'work' : 'personal'
    const second = this.#email(secondType, person, host, shape, random.chance(0.7) ? delivered : withheld)
    return withPrimary([first, second], random.chance(0.2) ? 1 : 0)
  }

  #email(
    type: Email['type'],
    person: DemoPerson,
    host: string,
    shape: AddressShape,
    statuses: Weighted<Email['status']>[],
  ): Email {
    const email = this.#address(type, person, host, shape)
    return { email, status: this.#random.weighted(statuses), type, is_primary: true }
  }

  #address(type: Email['type'], { latin }: DemoPerson, host: string, shape: AddressShape): string {
    const full = `${latin.first}.${latin.last}`
    if (type === 'personal') {
      const mailHost = this.#random.pick(mailHosts)
      return this.#claim((suffix) => `${full}${suffix}@${mailHost}`)
    }
    const usual = type === 'role' ? this.#random.pick(roleAddresses) : shape(latin)
    const local = this.#taken.has(`${usual}@${host}`) ? full : usual
    return this.#claim((suffix) => `${local}${suffix}@${host}`)
  }

  #phones(): Phone[] {
    const random = this.#random
    const phones = Array.from({ length: random.chance(0.1) ? 2 : 1 }, () => ({
      phone: this.#number(),
      type: random.weighted(phoneTypes),
      is_primary: true,
    }))
    return withPrimary(phones, 0)
  }

  #number(): string {
    for (;;) {
      const area = this.#random.pick(areaCodes)
      const line = `01${String(this.#random.below(100)).padStart(2, '0')}`
      const key = `${area} ${line}`
      if (this.#taken.has(key)) continue
      this.#taken.add(key)
      return this.#random.pick(phoneShapes)(area, line)
    }
  }

  #profile({ latin }: DemoPerson): string {
    return this.#claim((suffix) => `https://people.example/${latin.first}-${latin.last}${suffix}`)
  }

  /** Reserves the first unused spelling. */
  #claim(spell: (suffix: string) => string): string {
    for (let count = 1; ; count++) {
      const spelling = spell(count === 1 ? '' : `-${count}`)
      if (this.#taken.has(spelling)) continue
      this.#taken.add(spelling)
      return spelling
    }
  }
}

function withPrimary<Channel extends Email | Phone>(channels: Channel[], primary: number): Channel[] {
  return channels.map((channel, index) => ({ ...channel, is_primary: index === primary }))
}
