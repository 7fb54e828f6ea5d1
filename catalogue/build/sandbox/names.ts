import type { Seniority } from '@storedex/search-index'
import type { Email, Phone } from '../../../server/src/foundation/encryption/contact-facts.ts'

/** A sandbox contact by purpose; irrelevant names, addresses and numbers are filled in later. */
export interface SandboxPerson {
  /** The purpose of the contact; unique within the store. */
  id: string
  names?: SandboxNames
  /** Without one the id is the title; null for no title. */
  title?: string | null
  role?: string
  seniority?: Seniority
  emails?: ChannelPlan<Email>[]
  phones?: ChannelPlan<Phone>[]
  hasProfile?: boolean
}

interface SandboxNames {
  first_name?: string
  last_name?: string
  full_name?: string
}

/** Contains the address or number only where its spelling matters. */
export type ChannelPlan<Channel> = Partial<Channel>

const longWord = 'Wolfeschlegelsteinhausenbergerdorff'

/** Combinations of present and missing names. */
export const namePeople: SandboxPerson[] = [
  named('first-and-last-name', { first_name: 'Ines', last_name: 'Hallberg' }),
  named('full-name-only', { full_name: 'Ines Hallberg' }),
  named('first-name-only', { first_name: 'Ines' }),
  named('last-name-only', { last_name: 'Hallberg' }),
  named('no-names', {}),
  named('full-name-differs', { first_name: 'Ines', last_name: 'Hallberg', full_name: 'Dr. Ines-Marie Hallberg, MBA' }),
  named('family-name-first', { first_name: 'Ilona', last_name: 'Nagy', full_name: 'Nagy Ilona' }),
  named('long-names', { first_name: longWord.repeat(5), last_name: longWord.repeat(10) }),
  named('namesake', { first_name: 'Jo', last_name: 'Same' }),
  named('namesake-too', { first_name: 'Jo', last_name: 'Same' }),
]

/** Last names that are difficult to obfuscate or split. */
export const lastNamePeople: SandboxPerson[] = Object.entries({
  apostrophe: "O'Brien",
  'leading-apostrophe': "'t Hooft",
  'small-first-letter': 'van der Berg',
  hyphen: 'Smith-Jones',
  'several-words': 'García de la Cruz',
  accent: 'Çelik',
  'combining-accent': 'E\u0301toile',
  digraph: 'Ǆelalić',
  // One character outside the basic plane: two units of UTF-16.
  'rare-character': '𠮷',
  abbreviation: 'St. Clair',
}).map(([id, last_name]) => named(id, { first_name: 'Robin', last_name }))

/** The full name is given where it is not first name, space, last name. */
export const scriptPeople: SandboxPerson[] = Object.entries<SandboxNames>({
  japanese: { first_name: '美咲', last_name: '山田', full_name: '山田 美咲' },
  chinese: { first_name: '晓明', last_name: '李', full_name: '李晓明' },
  korean: { first_name: '서연', last_name: '김', full_name: '김서연' },
  cyrillic: { first_name: 'Олена', last_name: 'Коваленко' },
  greek: { first_name: 'Ελένη', last_name: 'Παππά' },
  arabic: { first_name: 'ليلى', last_name: 'حداد' },
  hebrew: { first_name: 'נועה', last_name: 'לוי' },
  devanagari: { first_name: 'आरती', last_name: 'क्षेत्री' },
  thai: { first_name: 'เกศินี', last_name: 'แสงทอง' },
  georgian: { first_name: 'ნინო', last_name: 'ბერიძე' },
}).map(([id, names]) => named(id, names))

/** The first name is the purpose of the contact. */
export const titlePeople: SandboxPerson[] = Object.entries({
  None: null,
  Letter: 'X',
  Long: 'Head of Everything That Has A Very Long Title '.repeat(8).trim(),
  Accents: 'Geschäftsführerin für Öffentlichkeitsarbeit',
  Japanese: 'マーケティング部長',
  Arabic: 'مديرة التسويق',
  Emoji: 'Chief Sunshine Officer 🌻',
  Quotes: 'Head of "Growth"; \\ Ops, O\'Clock',
  Markup: '<b>Bold</b> & Partner',
  Formula: '=SUM(A1:A9)',
}).map(([purpose, title]) => ({
  ...named(`title-${purpose.toLowerCase()}`, { first_name: purpose, last_name: 'Hallberg' }),
  title,
}))

function named(id: string, names: SandboxNames): SandboxPerson {
  return { id, names, emails: [{ status: 'verified' }] }
}
