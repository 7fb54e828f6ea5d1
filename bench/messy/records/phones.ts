import type { Random } from '../../../catalogue/build/random.ts'

/** The calling code and the blocks of digits of a number. */
export interface PhoneNumber {
  country: string
  callingCode: string
  /** Without the national prefix: ['30', '23125', '123']. */
  blocks: readonly string[]
}

interface Plan {
  callingCode: string
  /** What numbers begin with inside the country, if anything. */
  trunk: '' | '0'
  /** Each # is any digit. */
  shapes: readonly string[]
  national?(blocks: readonly string[]): string[]
}

/**
 * How people write numbers in their countries. Those of US, GB, DE, FR, AU and SE are kept free for fiction there; the
 * others are invented, around 555, and valid by their country's plan. Many of these countries have numbers of several lengths.
 */
const plans: Record<string, Plan> = {
  US: {
    callingCode: '1',
    trunk: '',
    shapes: ['201', '212', '312', '415', '512', '617', '702'].map((area) => `${area} 555 01##`),
    national: ([area, office, line]) => [
      `(${area}) ${office}-${line}`,
      `${area}-${office}-${line}`,
      `${area}.${office}.${line}`,
      `1-${area}-${office}-${line}`,
      `${area}${office}${line}`,
    ],
  },
  GB: { callingCode: '44', trunk: '0', shapes: ['20 7946 0###', '7700 900 ###'] },
  DE: {
    callingCode: '49',
    trunk: '0',
    shapes: ['30 23125 ###', '40 66969 ###', '89 99998 ###', '171 39200 ##', '176 040690 ##'],
    national: ([area, line, extension]) => [
      `0${area} ${line}${extension}`,
      `0${area}/${line}-${extension}`,
      `(0${area}) ${line} ${extension}`,
      `0${area} - ${line} ${extension}`,
    ],
  },
  FR: {
    callingCode: '33',
    trunk: '0',
    shapes: ['1 99 00 ## ##'],
    national: (blocks) => [`0${blocks.join(' ')}`, `0${blocks.join('.')}`, `0${blocks.join('')}`],
  },
  AU: {
    callingCode: '61',
    trunk: '0',
    shapes: ['2 5550 ####'],
    national: (blocks) => [`(0${blocks[0]}) ${blocks[1]} ${blocks[2]}`, `0${blocks.join(' ')}`],
  },
  SE: { callingCode: '46', trunk: '0', shapes: ['8 46500 4##', '70 17406 ##'] },
  AT: { callingCode: '43', trunk: '0', shapes: ['1 5550 ###', '1 5550 ####', '664 5550 ###'] },
  IT: { callingCode: '39', trunk: '', shapes: ['06 5550 ####', '02 5550 ####', '392 555 ####'] },
  BR: { callingCode: '55', trunk: '', shapes: ['11 5550 ####', '11 95550 ####', '55 95550 ####'] },
  JP: { callingCode: '81', trunk: '0', shapes: ['3 5550 ####', '90 5550 ####'] },
  CN: { callingCode: '86', trunk: '', shapes: ['139 5550 ####'] },
  ID: { callingCode: '62', trunk: '0', shapes: ['21 5550 ####', '812 5550 ####'] },
  FI: { callingCode: '358', trunk: '0', shapes: ['9 5550 ####', '40 555 ####'] },
  NL: { callingCode: '31', trunk: '0', shapes: ['20 555 ####'] },
  CH: { callingCode: '41', trunk: '0', shapes: ['44 555 ## ##'] },
  PL: { callingCode: '48', trunk: '', shapes: ['22 555 ## ##', '48 555 ## ##'] },
  ES: { callingCode: '34', trunk: '', shapes: ['915 550 ###'] },
  DK: { callingCode: '45', trunk: '', shapes: ['32 55 50 ##', '45 55 01 ##'] },
  KR: { callingCode: '82', trunk: '0', shapes: ['2 5550 ####'] },
  CZ: { callingCode: '420', trunk: '', shapes: ['225 550 ###'] },
}

function hasPhonePlan(country: string | null): country is string {
  return country !== null && Object.hasOwn(plans, country)
}

/** A number of the country, or of the United States where no plan is known for it. */
export function drawPhone(random: Random, country: string | null): PhoneNumber {
  const known = hasPhonePlan(country) ? country : 'US'
  const { callingCode, shapes } = plans[known]!
  const digits = random.pick(shapes).replaceAll('#', () => String(random.below(10)))
  return { country: known, callingCode, blocks: digits.split(' ') }
}

export function toE164({ callingCode, blocks }: Pick<PhoneNumber, 'callingCode' | 'blocks'>): string {
  return `+${callingCode}${blocks.join('')}`
}

const patterns = Object.entries(plans).flatMap(([country, { callingCode, shapes }]) =>
  shapes.map((shape) => {
    const blocks = shape.split(' ').map((block) => `(${block.replaceAll('#', '\\d')})`)
    return { country, callingCode, pattern: new RegExp(`^\\+${callingCode}${blocks.join('')}$`) }
  }),
)

/** Finds the blocks of a number that `drawPhone` made. */
export function phoneOf(e164: string): PhoneNumber {
  for (const { country, callingCode, pattern } of patterns) {
    const blocks = pattern.exec(e164)?.slice(1)
    if (blocks) return { country, callingCode, blocks }
  }
  throw new Error(`${e164} is no number of this generator`)
}

export function nationalSpellings({ country, blocks }: PhoneNumber): string[] {
  const { trunk, national } = plans[country]!
  if (national) return national(blocks)
  const [area, ...rest] = blocks
  return [
    `${trunk}${blocks.join(' ')}`,
    `(${trunk}${area}) ${rest.join(' ')}`,
    `${trunk}${area}-${rest.join('')}`,
    `${trunk}${blocks.join('')}`,
  ]
}

export function internationalSpellings({ country, callingCode, blocks }: PhoneNumber): string[] {
  const spaced = blocks.join(' ')
  const always = [
    `+${callingCode} ${spaced}`,
    `+${callingCode}-${blocks.join('-')}`,
    `+${callingCode} (${blocks[0]}) ${blocks.slice(1).join(' ')}`,
  ]
  return plans[country]!.trunk === '0' ? [...always, `+${callingCode} (0)${spaced}`] : always
}

/**
 * Whether the calling code and all blocks but the last make a national number by their length: 48-22-555-94-66 can also be
 * 482 255 594 with an extension.
 */
export function hasNumberBeforeLastBlock({ callingCode, blocks }: PhoneNumber): boolean {
  return callingCode.length === blocks.at(-1)!.length
}

/** Whether its own calling code without a plus could also begin a valid number of the country: 49171… in Germany. */
export function isReadTwiceWithoutPlus({ country, blocks }: PhoneNumber): boolean {
  return country === 'DE' && ['171', '176'].includes(blocks[0]!)
}

/** Whether its area code is its calling code, and what follows is a valid number by itself. */
export function beginsLikeCallingCode({ callingCode, blocks }: PhoneNumber): boolean {
  return ['48', '55'].includes(callingCode) && blocks[0] === callingCode
}

/** Whether the plan of its country has such numbers: GB keeps 07700 900 free without assigning it. */
export function isInPlan({ country, blocks }: PhoneNumber): boolean {
  return country !== 'GB' || blocks[0] !== '7700'
}
