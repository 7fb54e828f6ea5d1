import type { Random } from '../../../catalogue/build/random.ts'

/** The calling code and the blocks of digits of a number. */
export interface PhoneNumber {
  country: string
  callingCode: string
  /** Without the national prefix: ['30', '23125', '123']. */
  blocks: readonly string[]
}

/** Numbers that their countries keep free for fiction, and how people there write them. */
const plans: Record<
  string,
  { callingCode: string; draw(random: Random): string[]; national(blocks: readonly string[]): string[] }
> = {
  US: {
    callingCode: '1',
    draw: (random) => [random.pick(['201', '212', '312', '415', '512', '617', '702']), '555', `01${digits(random, 2)}`],
    national: ([area, office, line]) => [
      `(${area}) ${office}-${line}`,
      `${area}-${office}-${line}`,
      `${area}.${office}.${line}`,
      `1-${area}-${office}-${line}`,
      `${area}${office}${line}`,
    ],
  },
  GB: {
    callingCode: '44',
    draw: (random) =>
      random.pick([
        ['20', '7946', `0${digits(random, 3)}`],
        ['7700', '900', digits(random, 3)],
      ]),
    national: (blocks) => [
      `0${blocks.join(' ')}`,
      `(0${blocks[0]}) ${blocks.slice(1).join(' ')}`,
      `0${blocks.join('')}`,
    ],
  },
  DE: {
    callingCode: '49',
    draw: (random) =>
      random.pick([
        ['30', '23125', digits(random, 3)],
        ['40', '66969', digits(random, 3)],
        ['89', '99998', digits(random, 3)],
      ]),
    national: ([area, line, extension]) => [
      `0${area} ${line}${extension}`,
      `0${area}/${line}-${extension}`,
      `(0${area}) ${line} ${extension}`,
      `0${area} - ${line} ${extension}`,
    ],
  },
  FR: {
    callingCode: '33',
    draw: (random) => ['1', '99', '00', digits(random, 2), digits(random, 2)],
    national: (blocks) => [`0${blocks.join(' ')}`, `0${blocks.join('.')}`, `0${blocks.join('')}`],
  },
  AU: {
    callingCode: '61',
    draw: (random) => ['2', '5550', digits(random, 4)],
    national: (blocks) => [`(0${blocks[0]}) ${blocks[1]} ${blocks[2]}`, `0${blocks.join(' ')}`],
  },
}

function digits(random: Random, count: number): string {
  return String(random.below(10 ** count)).padStart(count, '0')
}

function hasPhonePlan(country: string | null): country is string {
  return country !== null && Object.hasOwn(plans, country)
}

/** A number of the country, or of the United States where no fiction is known for it. */
export function drawPhone(random: Random, country: string | null): PhoneNumber {
  const known = hasPhonePlan(country) ? country : 'US'
  const { callingCode, draw } = plans[known]!
  return { country: known, callingCode, blocks: draw(random) }
}

export function toE164({ callingCode, blocks }: Pick<PhoneNumber, 'callingCode' | 'blocks'>): string {
  return `+${callingCode}${blocks.join('')}`
}

/** Finds the blocks of a number that `drawPhone` made. */
export function phoneOf(e164: string): PhoneNumber {
  const shapes: Record<string, RegExp> = {
    US: /^\+1(\d{3})(\d{3})(\d{4})$/,
    GB: /^\+44(20|7700)(\d{3,4})(\d{3,4})$/,
    DE: /^\+49(\d{2})(\d{5})(\d{3})$/,
    FR: /^\+33(\d)(\d{2})(\d{2})(\d{2})(\d{2})$/,
    AU: /^\+61(\d)(\d{4})(\d{4})$/,
  }
  for (const [country, shape] of Object.entries(shapes)) {
    const blocks = shape.exec(e164)?.slice(1)
    if (blocks) return { country, callingCode: plans[country]!.callingCode, blocks }
  }
  throw new Error(`${e164} is no number of this generator`)
}

export function nationalSpellings(phone: PhoneNumber): string[] {
  return plans[phone.country]!.national(phone.blocks)
}

export function internationalSpellings({ country, callingCode, blocks }: PhoneNumber): string[] {
  const spaced = blocks.join(' ')
  const always = [
    `+${callingCode} ${spaced}`,
    `+${callingCode}-${blocks.join('-')}`,
    `+${callingCode} (${blocks[0]}) ${blocks.slice(1).join(' ')}`,
  ]
  return country === 'US' ? always : [...always, `+${callingCode} (0)${spaced}`]
}
